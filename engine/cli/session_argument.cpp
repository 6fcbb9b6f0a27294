// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/session_argument.h"

#include "engine/cli/message.h"
#include "engine/cli/terminal.h"
#include "engine/cli/text_table.h"
#include "engine/domain/display_escape.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>

#include <sys/wait.h>
#include <unistd.h>

namespace revet::cli {

namespace {

constexpr std::size_t kMaximumListed = 10;

/// A table to choose from. The newest first: it is the likeliest.
std::string listed(const std::vector<SessionInfo>& sessions)
{
    TextTable table({{"ID"},
                     {"LABEL", TextTable::Align::Left, true},
                     {"STATE"},
                     {"TIER"},
                     {"AGE", TextTable::Align::Right},
                     {"COMMAND", TextTable::Align::Left, true}});
    const std::size_t shown = std::min(sessions.size(), kMaximumListed);
    std::for_each_n(sessions.rbegin(), shown, [&table](const SessionInfo& session) {
        table.addRow({session.id.text(), displayEscape(session.label), std::string(toString(session.state)),
                      std::string(toString(session.tier)), ageOf(session.started),
                      journal::commandLine(session.command)});
    });
    std::string text = table.toText(outputColumns(STDERR_FILENO));
    if (shown < sessions.size()) {
        return text + "and " + std::to_string(sessions.size() - shown)
            + " older; `revet ps --all` lists them";
    }
    text.pop_back(); // complain() ends the line
    return text;
}

} // namespace

void SessionArgument::addTo(CLI::App& app)
{
    app.add_option("ID", id,
                   "an id, a unique prefix of one, or a label (default: the project's only session)");
    app.add_flag("--json", isJson, "one JSON object a line");
}

std::string currentDirectory()
{
    std::error_code problem;
    return std::filesystem::current_path(problem).string();
}

OrStatus<SessionInfo> chooseSession(api::Engine& engine, const std::string& id,
                                    api::Engine::Candidates candidates)
{
    Result<std::vector<SessionInfo>> found = engine.findSessions(id, currentDirectory(), candidates);
    if (!found) {
        return tl::unexpected(report(found.error()));
    }
    if (found->size() == 1) {
        return std::move(found->front());
    }
    complain("choose a session: " + std::to_string(found->size())
             + (id.empty() ? " are of this project" : " fit '" + displayEscape(id) + "'")
             + "; name one of them by its id\n" + listed(*found));
    return tl::unexpected(kUsage);
}

OrStatus<OpenedSession> openSession(api::Engine& engine, const SessionArgument& argument)
{
    OrStatus<SessionInfo> session = chooseSession(engine, argument.id, api::Engine::Candidates::All);
    if (!session) {
        return tl::unexpected(session.error());
    }
    Result<journal::JournalReader> reader = engine.openJournal(session->id);
    if (!reader) {
        return tl::unexpected(report(reader.error()));
    }
    return OpenedSession{*std::move(session), *std::move(reader)};
}

nlohmann::json listingObject(const SessionId& session)
{
    return {{"schema", "revet.v1"}, {"session", session.text()}};
}

void printJson(const nlohmann::json& object)
{
    print(journal::toJsonLine(object) + '\n');
}

int shellStatus(std::int32_t waitStatus)
{
    constexpr int kSignalStatus = 128;
    return WIFSIGNALED(waitStatus) ? kSignalStatus + WTERMSIG(waitStatus) : WEXITSTATUS(waitStatus);
}

std::string describeStatus(std::int32_t waitStatus)
{
    if (!WIFSIGNALED(waitStatus)) {
        return "exit " + std::to_string(WEXITSTATUS(waitStatus));
    }
    const char* const name = ::sigdescr_np(WTERMSIG(waitStatus));
    return "signal " + std::to_string(WTERMSIG(waitStatus))
        + (name == nullptr ? "" : " (" + std::string(name) + ')');
}

std::string timeOfDay(WallTime time)
{
    const auto microseconds = time.time_since_epoch().count();
    const auto seconds = static_cast<std::time_t>(microseconds / 1'000'000);
    std::tm local = {};
    ::localtime_r(&seconds, &local);
    std::array<char, 16> text{};
    const std::size_t size = std::strftime(text.data(), text.size(), "%H:%M:%S", &local);
    const std::string fraction = std::to_string(1000 + (microseconds / 1000) % 1000).substr(1);
    return std::string(text.data(), size) + '.' + fraction;
}

std::string ageOf(WallTime time)
{
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(SystemClock().now() - time).count();
    if (seconds < 60) {
        return std::to_string(std::max<std::int64_t>(seconds, 0)) + 's';
    }
    if (seconds < 3600) {
        return std::to_string(seconds / 60) + 'm';
    }
    return seconds < 86400 ? std::to_string(seconds / 3600) + 'h' : std::to_string(seconds / 86400) + 'd';
}

std::string_view lastPart(std::string_view path)
{
    return path.substr(path.rfind('/') + 1); // npos + 1 is 0
}

} // namespace revet::cli
