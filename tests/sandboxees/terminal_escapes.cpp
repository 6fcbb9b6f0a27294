// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Prints what a terminal would act on: clipboard, title, links, queries whose answers would be typed for the
// user, and a name and a path that forge lines of a log.

#include "tests/sandboxees/deed.h"

#include <array>

#include <fcntl.h>
#include <unistd.h>

namespace victim = revet::victim;

int main()
{
    constexpr std::array<std::string_view, 10> kSequences{
        "\x1b]52;c;UkVWRVQ=\x07", // OSC 52: sets the clipboard
        "\x1b]0;REVET-TITLE\x07", // OSC 0: sets the title
        "\x1b]8;;http://canary.invalid/\x07link\x1b]8;;\x07", // OSC 8: a link
        "\x1b[21t", // reports the title
        "\x1bP$q\"p\x1b\\", // DECRQSS
        "\x1b[c", // DA1
        "\x1b[6n", // CPR
        "\x05", // ENQ: answerback
        "\x1b]777;notify;REVET;approve?\x07", // a notification
        "\x1b(0\x1b[?25l", // charset, hidden cursor
    };
    for (const std::string_view sequence : kSequences) {
        victim::say({"sequence ", sequence});
    }
    // NOLINTBEGIN(misc-misleading-bidirectional): they are meant to mislead.
    // Names that reach the journal and from there a person's terminal.
    constexpr std::array<const char*, 4> kNames{"title\x1b]0;REVET-TITLE\x07",
                                                "line\n{\"verdict\":\"allowed\"}", "bidi\xe2\x80\xaegnp.exe",
                                                "bytes\xff\xfe"};
    // NOLINTEND(misc-misleading-bidirectional)
    for (const char* const name : kNames) {
        static_cast<void>(victim::appendText(name, "x"));
    }
    return victim::kDone;
}
