// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/api/session_choice.h"

#include "engine/session/project_finder.h"

#include <algorithm>
#include <iterator>

namespace revet::api {

namespace {

constexpr std::size_t kShortestPrefix = 2; // one letter is a file's name more often than a session's

template<typename Predicate>
std::vector<SessionInfo> select(const std::vector<SessionInfo>& sessions, Predicate predicate)
{
    std::vector<SessionInfo> selected;
    std::copy_if(sessions.begin(), sessions.end(), std::back_inserter(selected), predicate);
    return selected;
}

} // namespace

std::vector<SessionInfo> sessionsAround(const std::vector<SessionInfo>& sessions, std::string_view directory)
{
    std::string_view innermost;
    for (const SessionInfo& session : sessions) {
        if (session.project.size() > innermost.size() && session::isWithin(directory, session.project)) {
            innermost = session.project;
        }
    }
    return select(sessions, [innermost](const SessionInfo& session) {
        return !innermost.empty() && session.project == innermost;
    });
}

Result<std::vector<SessionInfo>> chooseSessions(const std::vector<SessionInfo>& sessions,
                                                std::string_view wanted)
{
    std::vector<SessionInfo> found
        = select(sessions, [wanted](const SessionInfo& session) { return session.id.text() == wanted; });
    if (found.empty()) {
        found = select(sessions, [wanted](const SessionInfo& session) {
            const bool begins = wanted.size() >= kShortestPrefix && session.id.text().starts_with(wanted);
            return begins || (!wanted.empty() && session.label == wanted);
        });
    }
    if (found.empty()) {
        return fail(ErrorCode::NotFound, "find the session '" + std::string(wanted) + "'",
                    "`revet ps --all` lists all sessions");
    }
    return found;
}

} // namespace revet::api
