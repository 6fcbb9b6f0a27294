// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace revet::cli {

/// Whether a whole control sequence (CSI, its parameters, its final byte) may reach the person's terminal:
/// not what makes it type or print.
[[nodiscard]] bool isPermittedControl(std::string_view sequence);
/// What an operating system command (the text between OSC and its end) becomes: itself, a title that is
/// marked as Revet's, or nothing.
[[nodiscard]] std::string permittedCommand(std::string_view command);

/// The parameters of a whole control sequence: what is between CSI and its final byte.
[[nodiscard]] std::string_view parametersOf(std::string_view sequence);
/// The first number of a sequence's parameters; none is 0.
[[nodiscard]] std::optional<int> leadingNumber(std::string_view text);

} // namespace revet::cli
