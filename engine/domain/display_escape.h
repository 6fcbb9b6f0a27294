// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace revet {

/// The one way in which bytes from a box reach a person's eyes. One line, no markup, nothing invisible:
/// control bytes become \n, \t or \xNN; bytes that are not UTF-8 become \xNN; format, bidi, private,
/// unassigned and tag characters become \u{202E}; a backslash becomes \\. Total for any input.
[[nodiscard]] std::string displayEscape(std::string_view bytes);

/// The same for a line of a file that is shown as a text: tabs and backslashes stay as they are.
[[nodiscard]] std::string displayLine(std::string_view bytes);

/// The same as displayEscape() for a path or argument of a command line: quoted like a shell word when it
/// holds a space or another character that a shell would act on.
[[nodiscard]] std::string displayQuoted(std::string_view bytes);

/// Shortens escaped text in the middle to at most `columns` terminal columns, so that a dangerous tail stays
/// in view.
[[nodiscard]] std::string elideMiddle(std::string_view escaped, std::size_t columns);

/// Terminal columns that escaped text takes.
[[nodiscard]] std::size_t displayColumns(std::string_view escaped);

} // namespace revet
