// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <string>

namespace revet::cli {

/// One line of the terminal on standard input, as it was typed; nothing at its end.
[[nodiscard]] std::optional<std::string> readTerminalLine();

} // namespace revet::cli
