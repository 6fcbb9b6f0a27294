// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/command.h"
#include "engine/cli/message.h"
#include "engine/domain/display_escape.h"

#include <algorithm>
#include <clocale>
#include <exception>

#include <fcntl.h>
#include <unistd.h>

namespace {

using namespace revet;

/// A descriptor of ours must never become somebody's standard output.
void fillStandardDescriptors()
{
    int fd = -1;
    do {
        fd = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    ::close(fd);
}

std::string helpText()
{
    std::string text = "Usage: revet COMMAND …\n\n"
                       "Runs an agent, a build or any other command in a box, and shows what it touched:\n\n"
                       "    revet run -- make test\n"
                       "    revet log\n\n"
                       "Commands:\n";
    for (const cli::Command& command : cli::commands()) {
        text += "  " + std::string(command.name) + std::string(10 - command.name.size(), ' ')
            + std::string(command.summary) + '\n';
    }
    text += "\n`revet COMMAND --help` says more, `man revet` says all. `revet demo` shows it at work.\n";
    return text;
}

int unknownCommand(const std::string& name)
{
    std::vector<std::string> names;
    for (const cli::Command& command : cli::commands()) {
        names.emplace_back(command.name);
    }
    const std::string closest = cli::closestWord(name, names);
    std::string hint = closest.empty() ? "" : ": did you mean '" + closest + "'?";
    cli::complain((name.starts_with('-') ? "unknown option '" : "unknown command '") + displayEscape(name)
                  + "'" + hint
                  + "; `revet --help` lists the commands, `revet run -- COMMAND` runs one in a box");
    return cli::kUsage;
}

int runCommand(const std::string& name, const cli::Arguments& arguments)
{
    const auto commands = cli::commands();
    const auto found
        = std::ranges::find_if(commands, [&](const cli::Command& command) { return command.name == name; });
    return found == commands.end() ? unknownCommand(name) : found->run(arguments);
}

} // namespace

int main(int argc, char** argv)
{
    fillStandardDescriptors();
    try {
        const std::string name = argc > 1 ? argv[1] : "--help";
        if (name == "--help" || name == "-h" || name == "help") {
            cli::print(helpText());
            return cli::kDone;
        }
        if (name == "--version") {
            cli::print("revet " REVET_VERSION "\n");
            return cli::kDone;
        }
        return runCommand(name, cli::Arguments(argv + 2, argv + argc));
    } catch (const std::exception& exception) {
        // Only the standard library throws here, and only where memory has run out.
        cli::complain(std::string("stop: ") + exception.what());
        return argc > 1 && std::string_view(argv[1]) == "run" ? cli::kRunFailed : cli::kFailed;
    }
}
