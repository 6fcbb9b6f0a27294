// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/cli/terminal_modes.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace revet::cli {

/// What stands between a box's output and the person's terminal. Everything passes byte for byte but what
/// would act outside the screen or make the terminal type: clipboard (OSC 52) and the like, title and other
/// reports, device control strings. Titles that are set are marked as Revet's. Keeps its place over chunk
/// borders. One thread.
class TerminalFilter
{
public:
    /// Appends what may pass to `output`. Bytes of an unfinished sequence are held back, a bounded number.
    void feed(std::string_view input, std::string& output);
    /// What brings the terminal back from modes that the box set and left: alternate screen, mouse reports,
    /// bracketed paste, hidden cursor, other character sets.
    [[nodiscard]] std::string restore();

private:
    enum class State : std::uint8_t {
        Ground,
        Escape, ///< after ESC
        EscapeIntermediate, ///< after ESC and a byte of 0x20 to 0x2f: "ESC ( 0"
        Control, ///< CSI …
        Command, ///< OSC …
        String, ///< DCS, APC, PM, SOS: swallowed to its end
    };

    void step(unsigned char byte, std::string& output);
    void inGround(unsigned char byte, std::string& output);
    void passByte(unsigned char byte, std::string& output);
    void inEscape(unsigned char byte, std::string& output);
    void inControl(unsigned char byte, std::string& output);
    void inCommand(unsigned char byte, std::string& output);
    void finishControl(std::string& output);
    void finishCommand(std::string& output);
    void pass(std::string& output);

    State m_state = State::Ground;
    bool m_sawEscape = false; ///< inside a string: the next byte may end it
    bool m_isTooLong = false; ///< the held sequence outgrew its bound: it is swallowed
    bool m_sawLatinLead = false; ///< 0xc2, held back until the next byte
    std::size_t m_swallowed = 0; ///< of the present string
    int m_continuationBytes = 0; ///< of a UTF-8 character, in which 0x80 to 0x9f are no controls
    std::string m_held;
    TerminalModes m_modes;
};

} // namespace revet::cli
