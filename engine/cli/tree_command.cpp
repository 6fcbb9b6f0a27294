// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/command.h"
#include "engine/cli/message.h"
#include "engine/cli/readable.h"
#include "engine/cli/session_argument.h"
#include "engine/cli/terminal.h"
#include "engine/domain/display_escape.h"

#include <map>

namespace revet::cli {

namespace {

/// A hostile box can nest as deep as it likes; a screen cannot.
constexpr std::size_t kDeepestIndent = 20;

/// What the processes that ran another program went on as, by the earlier number.
using Successors = std::map<ProcessNumber, ProcessNumber>;

bool isSameProcess(const ProcessRecord& one, const ProcessRecord& other)
{
    return one.pid == other.pid && one.startTicks == other.startTicks;
}

Successors successorsIn(const std::vector<ProcessRecord>& processes)
{
    std::map<ProcessNumber, const ProcessRecord*> known;
    Successors successors;
    for (const ProcessRecord& process : processes) {
        known[process.number] = &process;
        const auto parent = known.find(process.parent);
        if (parent != known.end() && isSameProcess(*parent->second, process)) {
            successors[process.parent] = process.number;
        }
    }
    return successors;
}

nlohmann::json toJson(const ProcessRecord& process, const Successors& successors, const SessionId& session)
{
    const auto successor = successors.find(process.number);
    nlohmann::json object = listingObject(session);
    object["process"] = process.number.value();
    object["parent"] = process.parent.isNone() ? nlohmann::json() : nlohmann::json(process.parent.value());
    object["replaced_by"]
        = successor == successors.end() ? nlohmann::json() : nlohmann::json(successor->second.value());
    object["pid"] = process.pid;
    journal::putBytes(object, "exe", process.exe);
    object["command"] = journal::commandLine(process.argv);
    journal::putBytes(object, "cwd", process.cwd);
    object["started"] = toRfc3339(process.started);
    object["ended"] = process.ended ? nlohmann::json(toRfc3339(*process.ended)) : nlohmann::json();
    object["status"]
        = process.waitStatus ? nlohmann::json(shellStatus(*process.waitStatus)) : nlohmann::json();
    return object;
}

std::string toLine(const ProcessRecord& process, bool isReplaced, std::size_t depth, std::size_t columns)
{
    std::string status = isReplaced ? "replaced" : process.ended ? "ended" : "runs";
    if (process.waitStatus) {
        status = describeStatus(*process.waitStatus);
    }
    const std::string head
        = std::string(2 * std::min(depth, kDeepestIndent), ' ') + std::to_string(process.pid) + "  ";
    const std::string tail = "  " + status;
    std::string command
        = process.argv.empty() ? displayEscape(process.exe) : journal::commandLine(process.argv);
    if (columns != 0) {
        const std::size_t used = displayColumns(head) + displayColumns(tail);
        command = elideMiddle(command, std::max<std::size_t>(columns - std::min(columns, used), 10));
    }
    return head + command + tail + '\n';
}

void printTree(const std::vector<ProcessRecord>& processes)
{
    std::multimap<ProcessNumber, const ProcessRecord*> children;
    std::map<ProcessNumber, const ProcessRecord*> known;
    const Successors successors = successorsIn(processes);
    for (const ProcessRecord& process : processes) {
        known[process.number] = &process;
    }
    /// A copy of its parent that then ran another program: the shell's child before the command.
    const auto isMereCopy = [&](const ProcessRecord& process) {
        const auto parent = known.find(process.parent);
        return successors.contains(process.number) && parent != known.end()
            && !isSameProcess(*parent->second, process) && parent->second->exe == process.exe
            && parent->second->argv == process.argv;
    };
    for (const ProcessRecord& process : processes) {
        // A parent that was never seen, or a claim of a parent that came later, makes a root.
        const bool hasParent = known.contains(process.parent) && process.parent < process.number;
        children.emplace(hasParent ? process.parent : ProcessNumber(), &process);
    }
    // A stack, not recursion: the depth is the box's to choose.
    struct Place
    {
        const ProcessRecord* process;
        std::size_t depth;
    };
    std::vector<Place> stack;
    const auto push = [&](ProcessNumber parent, std::size_t depth) {
        const auto [first, last] = children.equal_range(parent);
        std::vector<Place> level;
        for (auto child = first; child != last; ++child) {
            level.push_back({child->second, depth});
        }
        stack.insert(stack.end(), level.rbegin(), level.rend());
    };
    push(ProcessNumber(), 0);
    const std::size_t columns = outputColumns();
    while (!stack.empty()) {
        const Place place = stack.back();
        stack.pop_back();
        const bool isShown = !isMereCopy(*place.process);
        if (isShown) {
            const bool isReplaced = successors.contains(place.process->number);
            print(toLine(*place.process, isReplaced, place.depth, columns));
        }
        push(place.process->number, place.depth + (isShown ? 1 : 0));
    }
}

} // namespace

int runTree(const Arguments& arguments)
{
    SessionArgument argument;
    CLI::App app("Shows a session's processes, who started whom, and how they ended.", "revet tree");
    argument.addTo(app);
    if (const auto status = parse(app, arguments)) {
        return *status;
    }
    Result<api::Engine> engine = api::Engine::open();
    if (!engine) {
        return report(engine.error());
    }
    OrStatus<OpenedSession> opened = openSession(*engine, argument);
    if (!opened) {
        return opened.error();
    }
    const Result<std::vector<ProcessRecord>> processes = opened->reader.processes();
    if (!processes) {
        return report(processes.error());
    }
    if (!argument.isJson) {
        printTree(*processes);
        return kDone;
    }
    const Successors successors = successorsIn(*processes);
    for (const ProcessRecord& process : *processes) {
        printJson(toJson(process, successors, opened->session.id));
    }
    return kDone;
}

} // namespace revet::cli
