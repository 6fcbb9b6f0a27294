// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/recovery.h"

#include "engine/base/log.h"
#include "engine/base/unique_fd.h"
#include "engine/session/text_file.h"
#include "engine/session/undo_files.h"
#include "engine/supervisor/fresh_file.h"

#include <algorithm>
#include <climits>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace revet::session {

namespace {

/// What the session was putting in place when it died. Its path may lead anywhere by now: no link is
/// followed, and nothing goes but a file whose name is one of ours.
void removePassingFile(const std::filesystem::path& record)
{
    const UniqueFd file(::open(record.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    const auto path = file ? supervisor::readWhole(file.get(), PATH_MAX) : Result<std::string>(std::string());
    const std::filesystem::path passing(path ? *path : std::string());
    const std::string name = passing.filename();
    if (!passing.is_absolute() || !name.starts_with(supervisor::kPassingPrefix)) {
        return;
    }
    open_how how{};
    how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
    how.resolve = RESOLVE_NO_SYMLINKS;
    const UniqueFd directory(
        static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, passing.parent_path().c_str(), &how, sizeof how)));
    ::unlinkat(directory.get(), name.c_str(), 0);
}

} // namespace

bool isAlive(const SessionInfo& session)
{
    if (session.sessionPid <= 0) {
        return false;
    }
    // A process id may have been given to somebody else meanwhile; the program's name tells. What has ended
    // and nobody has waited for yet (Z) is dead.
    const std::string prefix = std::to_string(session.sessionPid) + " (revet-session) ";
    const auto status = readText("/proc/" + std::to_string(session.sessionPid) + "/stat");
    return status && status->starts_with(prefix) && status->size() > prefix.size()
        && (*status)[prefix.size()] != 'Z' && (*status)[prefix.size()] != 'X';
}

void noteDeath(SessionInfo& session)
{
    session.state = session.tier == Tier::Container ? SessionState::Review : SessionState::Ended;
    session.endReason = "revet-session died";
    session.sessionPid = 0;
}

Result<std::vector<SessionInfo>> recoverDeadSessions(journal::Catalogue& catalogue, const Places& places)
{
    REVET_ASSIGN_OR_RETURN(auto sessions, catalogue.openSessions());
    const auto dead = std::partition(sessions.begin(), sessions.end(), isAlive);
    for (SessionInfo& session : std::span(dead, sessions.end())) {
        // What cannot be sealed can still be read, and is only told less well from what others changed since.
        if (const auto sealed = sealUndo(places, session.id); !sealed) {
            log(LogLevel::Warning, "session", toString(sealed.error()));
        }
        removePassingFile(places.passingRecord(session.id));
        noteDeath(session);
        session.ended = SystemClock().now();
        REVET_RETURN_IF_ERROR(catalogue.updateSession(session));
        REVET_RETURN_IF_ERROR(catalogue.answers().missAsks(session.id, *session.ended));
        std::error_code error; // left only when the keeper was killed as well
        std::filesystem::remove(places.controlSocket(session.id), error);
    }
    sessions.erase(dead, sessions.end());
    return sessions;
}

} // namespace revet::session
