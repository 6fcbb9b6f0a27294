// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/terminal_filter.h"

#include "engine/cli/terminal_sequences.h"

#include <utility>

namespace revet::cli {

namespace {

constexpr unsigned char kEscape = 0x1b;
constexpr unsigned char kBell = 0x07;
constexpr unsigned char kCancel = 0x18;
constexpr unsigned char kSubstitute = 0x1a;
constexpr std::size_t kMaximumControlBytes = 256;
constexpr std::size_t kMaximumCommandBytes = 4096;
/// A string that is never ended swallows no more than this of the output.
constexpr std::size_t kMaximumSwallowedBytes = std::size_t{1} << 20U;
constexpr unsigned char kEnquiry = 0x05; // makes a terminal type its answerback
constexpr unsigned char kShiftOut = 0x0e;
constexpr unsigned char kLatinLead = 0xc2; // U+0080 to U+009F begin with it, and terminals act on those

} // namespace

void TerminalFilter::feed(std::string_view input, std::string& output)
{
    while (!input.empty()) {
        if (m_state == State::Ground && m_continuationBytes == 0 && !m_sawLatinLead) {
            // The way of nearly every byte.
            std::size_t plain = 0;
            while (plain < input.size() && static_cast<unsigned char>(input[plain]) < 0x80
                   && input[plain] != kEscape && input[plain] != kShiftOut && input[plain] != kEnquiry) {
                ++plain;
            }
            output += input.substr(0, plain);
            input.remove_prefix(plain);
            if (input.empty()) {
                return;
            }
        }
        step(static_cast<unsigned char>(input.front()), output);
        input.remove_prefix(1);
    }
}

void TerminalFilter::step(unsigned char byte, std::string& output)
{
    const bool isInside = m_state != State::Ground;
    if (isInside && (byte == kCancel || byte == kSubstitute)) {
        m_state = State::Ground; // both end any sequence, see the VT500 parser
        m_held.clear();
        return;
    }
    switch (m_state) {
    case State::Ground:
        inGround(byte, output);
        break;
    case State::Escape:
    case State::EscapeIntermediate:
        inEscape(byte, output);
        break;
    case State::Control:
        inControl(byte, output);
        break;
    case State::Command:
    case State::String:
        inCommand(byte, output);
        break;
    }
}

void TerminalFilter::inGround(unsigned char byte, std::string& output)
{
    const bool isContinuation = byte >= 0x80 && byte < 0xc0;
    const bool isAfterLatinLead = std::exchange(m_sawLatinLead, false);
    if (isContinuation && byte < 0xa0 && (isAfterLatinLead || m_continuationBytes == 0)) {
        // A control of eight bits, raw or as UTF-8: the same rules, written in seven bits.
        m_held = static_cast<char>(kEscape);
        m_state = State::Escape;
        inEscape(static_cast<unsigned char>(byte - 0x40), output);
        return;
    }
    if (isAfterLatinLead) {
        output += static_cast<char>(kLatinLead);
    } else if (isContinuation && m_continuationBytes > 0) {
        --m_continuationBytes;
    }
    if (!isContinuation) {
        m_continuationBytes = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : 0;
        m_sawLatinLead = byte == kLatinLead;
        if (byte > kLatinLead && byte < 0xe0) {
            m_continuationBytes = 1;
        }
    }
    if (byte == kEscape) {
        m_state = State::Escape;
        m_held = static_cast<char>(byte);
    } else if (!m_sawLatinLead) {
        passByte(byte, output);
    }
}

void TerminalFilter::pass(std::string& output)
{
    m_modes.note(m_held);
    output += m_held;
    m_held.clear();
    m_state = State::Ground;
}

/// One byte that is not part of a sequence, perhaps in the middle of one: terminals act on it there, too.
void TerminalFilter::passByte(unsigned char byte, std::string& output)
{
    if (byte == kShiftOut) {
        m_modes.noteShiftOut();
    }
    if (byte != kEnquiry) {
        output += static_cast<char>(byte);
    }
}

void TerminalFilter::inEscape(unsigned char byte, std::string& output)
{
    if (byte == kEscape) {
        m_held = static_cast<char>(byte);
        m_state = State::Escape;
        return;
    }
    if (byte < 0x20) {
        passByte(byte, output);
        return;
    }
    m_held += static_cast<char>(byte);
    if (m_held.size() > kMaximumControlBytes) {
        m_held.clear();
        m_state = State::Ground;
        return;
    }
    if (byte < 0x30) {
        m_state = State::EscapeIntermediate;
        return;
    }
    if (m_state == State::EscapeIntermediate) {
        if (m_held[1] == '%') { // leaves UTF-8
            m_held.clear();
            m_state = State::Ground;
            return;
        }
        pass(output);
        return;
    }
    m_isTooLong = false;
    m_sawEscape = false;
    m_swallowed = 0;
    switch (byte) {
    case '[':
        m_state = State::Control;
        return;
    case ']':
        m_state = State::Command;
        return;
    case 'P': // DCS: DECRQSS, XTGETTCAP, graphics, function keys
    case 'X': // SOS
    case '^': // PM
    case '_': // APC
    case 'k': // title of screen and tmux, ended like a string
        m_held.clear();
        m_state = State::String;
        return;
    default: // also 'Z', DECID: answers like a device attributes request
        pass(output);
        return;
    }
}

void TerminalFilter::inControl(unsigned char byte, std::string& output)
{
    if (byte == kEscape) {
        m_held = static_cast<char>(byte);
        m_state = State::Escape;
        return;
    }
    if (byte < 0x20) {
        passByte(byte, output);
        return;
    }
    if (m_held.size() >= kMaximumControlBytes) {
        m_isTooLong = true;
    } else {
        m_held += static_cast<char>(byte);
    }
    if (byte >= 0x40 && byte < 0x7f) {
        finishControl(output);
    } else if (byte >= 0x7f) {
        m_held.clear(); // no terminal agrees with another on what this means
        m_state = State::Ground;
    }
}

void TerminalFilter::finishControl(std::string& output)
{
    if (!m_isTooLong && isPermittedControl(m_held)) {
        pass(output);
        return;
    }
    m_held.clear();
    m_state = State::Ground;
}

void TerminalFilter::inCommand(unsigned char byte, std::string& output)
{
    if (m_sawEscape) {
        m_sawEscape = false;
        if (byte != '\\') {
            // Not the string's end, so the escape begins another sequence and the string is void.
            m_held = static_cast<char>(kEscape);
            m_state = State::Escape;
            inEscape(byte, output);
            return;
        }
        finishCommand(output);
        return;
    }
    if (byte == kEscape) {
        m_sawEscape = true;
        return;
    }
    if (byte == kBell && m_state == State::Command) {
        finishCommand(output);
        return;
    }
    if (++m_swallowed > kMaximumSwallowedBytes) {
        m_held.clear();
        m_state = State::Ground;
        return;
    }
    if (m_state == State::String) {
        return;
    }
    if (m_held.size() >= kMaximumCommandBytes) {
        m_isTooLong = true;
    } else {
        m_held += static_cast<char>(byte);
    }
    // The Linux console's palette commands have no end mark.
    const bool isPaletteReset = m_held == "\x1b]R";
    const bool isPaletteSet = m_held.size() == 10 && m_held[2] == 'P';
    if (isPaletteReset || isPaletteSet) {
        finishCommand(output);
    }
}

void TerminalFilter::finishCommand(std::string& output)
{
    if (m_state == State::Command && !m_isTooLong) {
        output += permittedCommand(std::string_view(m_held).substr(2));
    }
    m_held.clear();
    m_state = State::Ground;
}

std::string TerminalFilter::restore()
{
    std::string text = m_modes.restoration();
    if (m_state != State::Ground) {
        text.insert(text.begin(), static_cast<char>(kCancel)); // what was passed on is whole, but be sure
    }
    *this = TerminalFilter();
    return text;
}

} // namespace revet::cli
