// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/program.h"

#include "engine/cli/command.h"
#include "engine/cli/message.h"
#include "engine/domain/display_escape.h"

#include <algorithm>
#include <clocale>
#include <exception>

#include <fcntl.h>
#include <unistd.h>

namespace revet::cli {

namespace {

/// A descriptor of ours must never become somebody's standard output.
void fillStandardDescriptors()
{
    int fd = -1;
    do {
        fd = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    ::close(fd);
}

/// Before all other constructors, of which a command line has many: the session's launcher starts meanwhile.
/// (glibc gives constructors what main() gets.)
[[gnu::constructor(101)]] void begin(int argc, char** argv)
{
    fillStandardDescriptors();
    if (argc > 1 && std::string_view(argv[1]) == "run" && ::geteuid() != 0) {
        api::forkSession();
    }
}

std::string helpText()
{
    std::string text = "Usage: revet COMMAND …\n\n"
                       "Runs an agent, a build or any other command in a box, and shows what it touched:\n\n"
                       "    revet run -- make test\n"
                       "    revet log\n\n"
                       "Commands:\n";
    for (const Command& command : commands()) {
        text += "  " + std::string(command.name) + std::string(10 - command.name.size(), ' ')
            + std::string(command.summary) + '\n';
    }
    text += "\n`revet COMMAND --help` says more, `man revet` says all. `revet demo` shows it at work.\n";
    return text;
}

int unknownCommand(const std::string& name)
{
    std::vector<std::string> names;
    for (const Command& command : commands()) {
        names.emplace_back(command.name);
    }
    const std::string closest = closestWord(name, names);
    std::string hint = closest.empty() ? "" : ": did you mean '" + closest + "'?";
    complain((name.starts_with('-') ? "unknown option '" : "unknown command '") + displayEscape(name) + "'"
             + hint + "; `revet --help` lists the commands, `revet run -- COMMAND` runs one in a box");
    return kUsage;
}

int runCommand(const std::string& name, const Arguments& arguments)
{
    const auto known = cli::commands();
    const auto found
        = std::ranges::find_if(known, [&](const Command& command) { return command.name == name; });
    return found == known.end() ? unknownCommand(name) : found->run(arguments);
}

} // namespace

int runProgram(int argc, char** argv, api::SessionMain sessionMain)
{
    if (api::isSessionProcess()) {
        ::_exit(sessionMain());
    }
    const std::string name = argc > 1 ? argv[1] : "--help";
    try {
        if (name == "--help" || name == "-h" || name == "help") {
            print(helpText());
            return kDone;
        }
        if (name == "--version") {
            print("revet " REVET_VERSION "\n");
            return kDone;
        }
        return runCommand(name, Arguments(argv + 2, argv + argc));
    } catch (const std::exception& exception) {
        // Only the standard library throws here, and only where memory has run out.
        complain(std::string("stop: ") + exception.what());
        return name == "run" ? kRunFailed : kFailed;
    }
}

} // namespace revet::cli
