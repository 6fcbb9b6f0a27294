// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/terminal_filter.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace revet::cli {

namespace {

constexpr unsigned char kEscape = 0x1b;
constexpr unsigned char kBell = 0x07;
constexpr unsigned char kCancel = 0x18;
constexpr unsigned char kSubstitute = 0x1a;
constexpr std::size_t kMaximumControlBytes = 256;
constexpr std::size_t kMaximumCommandBytes = 4096;
constexpr std::size_t kMaximumTitleBytes = 256;
/// A string that is never ended swallows no more than this of the output.
constexpr std::size_t kMaximumSwallowedBytes = std::size_t{1} << 20U;
constexpr unsigned char kEnquiry = 0x05; // makes a terminal type its answerback
constexpr unsigned char kShiftOut = 0x0e;
constexpr unsigned char kLatinLead = 0xc2; // U+0080 to U+009F begin with it, and terminals act on those

/// The first number of a sequence's parameters; none is 0.
std::optional<int> leadingNumber(std::string_view text)
{
    const std::size_t end = text.find_first_not_of("0123456789");
    const std::string_view digits = text.substr(0, end);
    int number = 0;
    if (digits.empty()) {
        return 0;
    }
    if (std::from_chars(digits.data(), digits.data() + digits.size(), number).ec != std::errc()) {
        return std::nullopt;
    }
    return number;
}

/// Commands that only change what is seen: colours, links that say where they lead only when clicked,
/// working directory, prompt marks. Everything else may act: clipboard, notifications, files (1337), titles.
bool isHarmlessCommand(int number)
{
    switch (number) {
    case 4: // a colour of the palette, or a question for it
    case 8: // link
    case 10:
    case 11:
    case 12:
    case 17:
    case 19: // colours of text, background, cursor, selection
    case 104:
    case 110:
    case 111:
    case 112:
    case 117:
    case 119: // back to their defaults
    case 133: // prompt marks
        return true;
    default:
        return false;
    }
}

/// Also no byte that a terminal of eight bits would act on.
bool isPrintable(char character)
{
    return character >= 0x20 && character < 0x7f;
}

std::string printableTitle(std::string_view text)
{
    std::string title;
    for (const char character : text) {
        if (isPrintable(character) && title.size() < kMaximumTitleBytes) {
            title += character;
        }
    }
    return title;
}

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
    } else if (!m_sawLatinLead && byte != kEnquiry) {
        m_isCharsetChanged = m_isCharsetChanged || byte == kShiftOut;
        output += static_cast<char>(byte);
    }
}

void TerminalFilter::pass(std::string& output)
{
    output += m_held;
    m_held.clear();
    m_state = State::Ground;
}

/// Terminals act on a control byte in the middle of a sequence, too.
void TerminalFilter::passControl(unsigned char byte, std::string& output)
{
    if (byte != kEnquiry) {
        m_isCharsetChanged = m_isCharsetChanged || byte == kShiftOut;
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
        passControl(byte, output);
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
        m_isCharsetChanged
            = m_isCharsetChanged || std::string_view("()*+-./").find(m_held[1]) != std::string_view::npos;
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
    case 'Z': // DECID: answers like a device attributes request
        break;
    case 'n':
    case 'o':
        m_isCharsetChanged = true;
        break;
    case '=':
        m_isKeypadChanged = true;
        break;
    case 'c': // full reset
        m_isModeSet = {};
        m_isCursorHidden = m_isCharsetChanged = m_isKeypadChanged = m_hasKeyboardProtocol = false;
        break;
    default:
        break;
    }
    pass(output);
}

void TerminalFilter::inControl(unsigned char byte, std::string& output)
{
    if (byte == kEscape) {
        m_held = static_cast<char>(byte);
        m_state = State::Escape;
        return;
    }
    if (byte < 0x20) {
        passControl(byte, output);
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
    const char final = m_held.back();
    const std::string_view parameters = std::string_view(m_held).substr(2, m_held.size() - 3);
    const bool hasIntermediate = parameters.find_first_of(" !\"#$%&'()*+,-./") != std::string_view::npos;
    bool mayPass = !m_isTooLong;
    if (final == 't' && !hasIntermediate) {
        // Reports of title, icon and window type into the terminal's input; sizes (14 to 19) are harmless.
        const std::optional<int> number = leadingNumber(parameters);
        mayPass = mayPass && number && *number != 20 && *number != 21;
    }
    if ((final == 'h' || final == 'l') && mayPass) {
        noteModes();
    }
    if (final == 'u' && !parameters.empty() && (parameters.front() == '>' || parameters.front() == '=')) {
        m_hasKeyboardProtocol = true;
    }
    if ((final == 'y' && parameters.ends_with('*')) || final == 'i') {
        mayPass = false; // DECRQCRA reads the screen back as input, media copy prints it
    }
    if (mayPass) {
        pass(output);
        return;
    }
    m_held.clear();
    m_state = State::Ground;
}

void TerminalFilter::noteModes()
{
    std::string_view rest = std::string_view(m_held).substr(2, m_held.size() - 3);
    if (!rest.starts_with('?')) {
        return;
    }
    rest.remove_prefix(1);
    const bool isSet = m_held.back() == 'h';
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
    const bool isCommand = m_state == State::Command && !m_isTooLong;
    const std::string command = isCommand ? m_held.substr(2) : std::string();
    m_held.clear();
    m_state = State::Ground;
    if (!isCommand || command.empty() || command.front() < '0' || command.front() > '9') {
        return;
    }
    const int number = leadingNumber(command).value_or(-1);
    const std::size_t separator = command.find(';');
    if (number >= 0 && number <= 2 && separator != std::string::npos) {
        output += "\x1b]" + std::to_string(number)
            + ";revet: " + printableTitle(std::string_view(command).substr(separator + 1)) + "\x1b\\";
    } else if (isHarmlessCommand(number) && std::all_of(command.begin(), command.end(), isPrintable)) {
        output += "\x1b]" + command + "\x1b\\";
    }
}

std::string TerminalFilter::restore()
{
    std::string text;
    if (m_state != State::Ground) {
        text += static_cast<char>(kCancel); // what was passed on is whole, but be sure
    }
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
    *this = TerminalFilter();
    return text;
}

} // namespace revet::cli
