// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <string>

namespace revet::cli {

/// One line of the terminal on standard input, as it was typed; nothing at its end.
[[nodiscard]] std::optional<std::string> readTerminalLine();
/// Whether a person sees what is printed and can say yes to it.
[[nodiscard]] bool canConfirm();
/// What has been typed before counts for nothing, and what is not a yes is a no.
[[nodiscard]] bool confirm(const std::string& question);

} // namespace revet::cli
