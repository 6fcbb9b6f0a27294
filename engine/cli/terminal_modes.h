// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <string>
#include <string_view>

namespace revet::cli {

/// What a box has changed of a terminal and left so: alternate screen, mouse reports, bracketed paste, hidden
/// cursor, other character sets, keys. One thread.
class TerminalModes
{
public:
    /// A whole escape or control sequence that the terminal gets.
    void note(std::string_view sequence);
    void noteShiftOut() { m_isCharsetChanged = true; }
    /// What brings the terminal back.
    [[nodiscard]] std::string restoration() const;

private:
    void noteControl(std::string_view sequence);

    /// Private modes (CSI ? n h) that are turned off again.
    static constexpr std::array<int, 15> kModes
        = {1, 9, 47, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1015, 1047, 1049, 2004, 2026};
    std::array<bool, kModes.size()> m_isModeSet{};
    bool m_isCursorHidden = false;
    bool m_isCharsetChanged = false;
    bool m_isKeypadChanged = false;
    bool m_hasKeyboardProtocol = false; ///< CSI > n u: more keys are reported, which a shell does not expect
};

} // namespace revet::cli
