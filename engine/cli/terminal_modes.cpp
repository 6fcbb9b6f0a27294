// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/terminal_modes.h"

#include "engine/cli/terminal_sequences.h"

namespace revet::cli {

void TerminalModes::note(std::string_view sequence)
{
    constexpr std::string_view kDesignators = "()*+-./"; // of character sets: "ESC ( 0"
    const char kind = sequence[1];
    if (kind == '[') {
        noteControl(sequence);
    } else if (sequence.size() > 2) {
        m_isCharsetChanged = m_isCharsetChanged || kDesignators.find(kind) != std::string_view::npos;
    } else if (kind == 'n' || kind == 'o') {
        m_isCharsetChanged = true;
    } else if (kind == '=') {
        m_isKeypadChanged = true;
    } else if (kind == 'c') { // full reset
        *this = {};
    }
}

void TerminalModes::noteControl(std::string_view sequence)
{
    const char final = sequence.back();
    std::string_view rest = parametersOf(sequence);
    if (final == 'u' && (rest.starts_with('>') || rest.starts_with('='))) {
        m_hasKeyboardProtocol = true;
    }
    if ((final != 'h' && final != 'l') || !rest.starts_with('?')) {
        return;
    }
    rest.remove_prefix(1);
    const bool isSet = final == 'h';
    while (!rest.empty()) {
        const int number = leadingNumber(rest).value_or(0);
        for (std::size_t i = 0; i < kModes.size(); ++i) {
            if (kModes.at(i) == number) {
                m_isModeSet.at(i) = isSet;
            }
        }
        if (number == 25) {
            m_isCursorHidden = !isSet;
        }
        const std::size_t separator = rest.find(';');
        rest.remove_prefix(separator == std::string_view::npos ? rest.size() : separator + 1);
    }
}

std::string TerminalModes::restoration() const
{
    std::string text;
    for (std::size_t i = 0; i < kModes.size(); ++i) {
        if (m_isModeSet.at(i)) {
            text += "\x1b[?" + std::to_string(kModes.at(i)) + 'l';
        }
    }
    if (m_isCursorHidden) {
        text += "\x1b[?25h";
    }
    if (m_isCharsetChanged) {
        text += "\x1b(B\x0f";
    }
    if (m_isKeypadChanged) {
        text += "\x1b>";
    }
    if (m_hasKeyboardProtocol) {
        text += "\x1b[<9u";
    }
    return text;
}

} // namespace revet::cli
