// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace revet::policy {

/// A word of a shell's command, without its quotes.
struct CommandWord
{
    enum class Kind : std::uint8_t {
        Word,
        File, ///< of a redirection
        End, ///< of a simple command: ; & | ( ) and the line's end
    };
    Kind kind = Kind::Word;
    std::vector<std::string> pieces; ///< between any two is an expansion or a wildcard
    std::vector<std::string> commands; ///< in its expansions: "$(…)", "`…`", "${X:-…}"
    bool isQuoted = false;

    /// With "$_" for each expansion.
    [[nodiscard]] std::string text() const;
};

/// "~" at the beginning of a word stands for the home, also where it was $HOME. Never fails: what does not
/// close ends with the text.
[[nodiscard]] std::vector<CommandWord> commandWords(std::string_view command);

} // namespace revet::policy
