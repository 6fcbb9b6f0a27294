// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/session_argument.h"

#include "engine/cli/message.h"

#include <array>
#include <cstring>
#include <ctime>

#include <sys/wait.h>

namespace revet::cli {

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

Result<OpenedSession> openSession(api::Engine& engine, const SessionArgument& argument)
{
    REVET_ASSIGN_OR_RETURN(SessionInfo session,
                           engine.findSession(argument.id, currentDirectory(), api::Engine::Candidates::All));
    REVET_ASSIGN_OR_RETURN(journal::JournalReader reader, engine.openJournal(session.id));
    return OpenedSession{std::move(session), std::move(reader)};
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
