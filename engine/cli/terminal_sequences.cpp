// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/terminal_sequences.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace revet::cli {

namespace {

constexpr std::size_t kMaximumTitleBytes = 256;

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

std::string_view parametersOf(std::string_view sequence)
{
    return sequence.substr(2, sequence.size() - 3);
}

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

bool isPermittedControl(std::string_view sequence)
{
    const char final = sequence.back();
    const std::string_view parameters = parametersOf(sequence);
    const bool hasIntermediate = parameters.find_first_of(" !\"#$%&'()*+,-./") != std::string_view::npos;
    if (final == 't' && !hasIntermediate) {
        // Reports of title, icon and window type into the terminal's input; sizes (14 to 19) are harmless.
        const std::optional<int> number = leadingNumber(parameters);
        return number && *number != 20 && *number != 21;
    }
    // DECRQCRA reads the screen back as input, media copy prints it.
    return !(final == 'y' && parameters.ends_with('*')) && final != 'i';
}

std::string permittedCommand(std::string_view command)
{
    if (command.empty() || command.front() < '0' || command.front() > '9') {
        return {};
    }
    const int number = leadingNumber(command).value_or(-1);
    const std::size_t separator = command.find(';');
    if (number >= 0 && number <= 2 && separator != std::string_view::npos) {
        return "\x1b]" + std::to_string(number) + ";revet: " + printableTitle(command.substr(separator + 1))
            + "\x1b\\";
    }
    if (isHarmlessCommand(number) && std::all_of(command.begin(), command.end(), isPrintable)) {
        return "\x1b]" + std::string(command) + "\x1b\\";
    }
    return {};
}

} // namespace revet::cli
