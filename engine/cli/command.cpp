// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/command.h"

#include "engine/cli/message.h"
#include "engine/domain/display_escape.h"

#include <algorithm>
#include <array>

namespace revet::cli {

namespace {

constexpr std::array kCommands = {
    Command{"run", "run a command in a box", runRun},
    Command{"ps", "list sessions", runPs},
    Command{"log", "show what a session did, in order", runLog},
    Command{"files", "show the files that a session touched", runFiles},
    Command{"net", "show where a session tried to connect", runNet},
    Command{"tree", "show a session's processes", runTree},
    Command{"asks", "list what boxes want to be allowed, or show one ask", runAsks},
    Command{"approve", "say yes to an ask", runApprove},
    Command{"deny", "say no to an ask", runDeny},
    Command{"grants", "list the answers that hold", runGrants},
    Command{"grant", "let a session or a project reach more", runGrant},
    Command{"revoke", "take a grant back", runRevoke},
    Command{"diff", "show what a session changed, before it is taken over", runDiff},
    Command{"apply", "take a session's changes over into the project", runApply},
    Command{"discard", "throw a session's changes away", runDiscard},
    Command{"undo", "take an apply or a discard back", runUndo},
    Command{"stop", "end sessions", runStop},
    Command{"doctor", "prove on this machine what the walls hold", runDoctor},
    Command{"project", "show or change a project's settings", runProject},
    Command{"profile", "show what known programs need", runProfile},
    Command{"export", "write a session's record out", runExport},
    Command{"prune", "remove records that are no longer kept", runPrune},
    Command{"demo", "watch a small scripted agent in a box", runDemo},
};

std::vector<std::string> optionNames(const CLI::App& app)
{
    std::vector<std::string> names;
    for (const CLI::Option* const option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) {
            names.push_back("--" + name);
        }
    }
    return names;
}

/// The first argument that looks like an option and is none.
std::string unknownOption(const CLI::App& app, const Arguments& arguments)
{
    const std::vector<std::string> known = optionNames(app);
    for (const std::string& argument : arguments) {
        if (argument == "--") {
            break;
        }
        const std::string name = argument.substr(0, argument.find('='));
        const bool isKnown = std::find(known.begin(), known.end(), name) != known.end()
            || (name.size() == 2 && app.get_option_no_throw(name) != nullptr);
        if (name.size() > 1 && name.front() == '-' && !isKnown) {
            return name;
        }
    }
    return {};
}

} // namespace

std::span<const Command> commands()
{
    return kCommands;
}

std::optional<int> parse(CLI::App& app, const Arguments& arguments)
{
    try {
        Arguments reversed(arguments.rbegin(), arguments.rend());
        app.parse(reversed);
        return std::nullopt;
    } catch (const CLI::CallForHelp&) {
        print(app.help());
        return kDone;
    } catch (const CLI::ParseError& error) {
        const std::string option = unknownOption(app, arguments);
        std::string what = app.get_name().substr(std::string_view("revet ").size()) + ": ";
        if (option.empty()) {
            what += displayEscape(error.what());
        } else {
            const std::string closest = closestWord(option, optionNames(app));
            what += "unknown option '" + displayEscape(option) + "'";
            what += closest.empty() ? "" : ": did you mean '" + closest + "'?";
        }
        complain(what + "; `" + app.get_name() + " --help` lists what it takes");
        return kUsage;
    }
}

std::optional<int> checkAction(std::string_view command, const std::string& action,
                               const std::vector<std::string>& known)
{
    if (std::ranges::find(known, action) != known.end()) {
        return std::nullopt;
    }
    std::string all;
    for (const std::string& word : known) {
        all += (all.empty() ? "" : ", ") + word;
    }
    const std::string closest = closestWord(action, known);
    complain(std::string(command) + ": unknown action '" + displayEscape(action) + "'"
             + (closest.empty() ? "" : ": did you mean '" + closest + "'?") + "; the actions are " + all);
    return kUsage;
}

} // namespace revet::cli
