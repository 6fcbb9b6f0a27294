// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/continue_question.h"

#include "engine/api/engine.h"
#include "engine/cli/message.h"
#include "engine/cli/readable.h"
#include "engine/cli/terminal_line.h"
#include "engine/domain/display_escape.h"

#include <array>
#include <cerrno>
#include <string>
#include <string_view>
#include <vector>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace revet::cli {

namespace {

constexpr int kMaximumTries = 3;
constexpr std::array<std::string_view, 3> kAnswers = {"continue", "apply", "new"};

/// Those whose layer waits, oldest first.
Result<std::vector<SessionInfo>> waitingSessions(api::Engine& engine, const ipc::RunRequest& request,
                                                 std::string_view wanted)
{
    REVET_ASSIGN_OR_RETURN(const std::string project,
                           engine.findProject(request.project, request.currentDirectory));
    REVET_ASSIGN_OR_RETURN(std::vector<SessionInfo> sessions,
                           engine.findSessions(wanted, project, api::Engine::Candidates::Undecided));
    std::erase_if(sessions, [&](const SessionInfo& session) {
        return session.state != SessionState::Review || session.tier != Tier::Container
            || session.project != project;
    });
    return sessions;
}

std::optional<int> choose(ipc::RunRequest& request)
{
    Result<api::Engine> engine = api::Engine::open();
    const auto found = engine ? waitingSessions(*engine, request, *request.continues) : fail(engine.error());
    if (!found || found->size() != 1) {
        const std::string why = !found ? found.error().context
            : found->empty()           ? "no changes wait; run without --continue"
                                       : std::to_string(found->size())
                + " sessions wait: name one, --continue=ID; `revet ps --all` lists them";
        complain("run: continue a session: " + displayEscape(why));
        return kRunFailed;
    }
    request.continues = found->front().id.text();
    return std::nullopt;
}

/// The first letters of an answer will do; nothing at the end of the terminal.
std::optional<std::string_view> readAnswer()
{
    const std::optional<std::string> line = readTerminalLine();
    if (!line) {
        return std::nullopt;
    }
    std::string_view word = *line;
    while (word.ends_with('\n') || word.ends_with('\r') || word.ends_with(' ')) {
        word.remove_suffix(1);
    }
    for (const std::string_view answer : kAnswers) {
        if (!word.empty() && answer.starts_with(word)) {
            return answer;
        }
    }
    return word.empty() ? kAnswers.back() : std::string_view();
}

/// `revet apply ID`, by a process of its own; whether it went well.
bool apply(const SessionInfo& session)
{
    std::string program = "/proc/self/exe";
    std::string command = "apply";
    std::string id = session.id.text();
    const std::array<char*, 4> arguments = {program.data(), command.data(), id.data(), nullptr};
    pid_t child = -1;
    int status = -1;
    if (::posix_spawn(&child, program.c_str(), nullptr, nullptr, arguments.data(), environ) != 0) {
        return false;
    }
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) { }
    return status == 0;
}

std::optional<int> ask(ipc::RunRequest& request)
{
    Result<api::Engine> engine = api::Engine::open();
    // What goes wrong here stops the session, too, which says it better.
    const auto waiting = engine ? waitingSessions(*engine, request, "") : fail(engine.error());
    if (!waiting || waiting->empty()) {
        return std::nullopt;
    }
    const SessionInfo& newest = waiting->back();
    printToErrors("changes of " + newest.id.text() + " (" + journal::commandLine(newest.command) + ", "
                  + ageOf(newest.started) + " ago) wait for a decision\n"
                  + "revet: continue with them, apply them first, or start a new session without them "
                    "[continue/apply/new, new]: ");
    for (int tries = 1; tries <= kMaximumTries; ++tries) {
        const std::optional<std::string_view> answer = readAnswer();
        if (!answer) {
            break;
        }
        if (*answer == "continue") {
            request.continues = newest.id.text();
        }
        if (*answer == "apply" && !apply(newest)) {
            complain("run: apply the changes of " + newest.id.text()
                     + ": not all could be done; see above, then run again");
            return kRunFailed;
        }
        if (!answer->empty()) {
            return std::nullopt;
        }
        printToErrors("type continue, apply or new: ");
    }
    complain("run: there was no answer; run again, with --continue to go on with the changes");
    return kRunFailed;
}

} // namespace

std::optional<int> settleContinuation(ipc::RunRequest& request)
{
    if (request.continues) {
        return choose(request);
    }
    return request.isInteractive && !request.isDetached ? ask(request) : std::nullopt;
}

} // namespace revet::cli
