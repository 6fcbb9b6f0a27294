// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/journal/retention.h"

#include "engine/base/unique_fd.h"
#include "engine/journal/remove_tree.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>

namespace revet::journal {

namespace {

bool isOver(const SessionInfo& session)
{
    return session.state == SessionState::Ended || session.state == SessionState::Closed
        || session.state == SessionState::Review;
}

Result<UniqueFd> openSessions(const std::filesystem::path& directory)
{
    UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd) {
        return failErrno("open " + directory.string());
    }
    return fd;
}

} // namespace

Result<std::vector<PruneItem>> planPrune(Catalogue& catalogue, const std::filesystem::path& sessionsDirectory,
                                         const RetentionLimits& limits, WallTime now,
                                         const MustKeep& mustKeep)
{
    std::vector<PruneItem> plan;
    REVET_ASSIGN_OR_RETURN(const std::vector<SessionInfo> sessions, catalogue.sessions());
    if (sessions.empty()) {
        return plan; // nor is there a directory before the first one
    }
    REVET_ASSIGN_OR_RETURN(const UniqueFd directory, openSessions(sessionsDirectory));
    std::vector<PruneItem> young;
    std::uint64_t kept = 0;
    for (const SessionInfo& session : sessions) {
        PruneItem item{session, treeBytes(directory.get(), session.id.text()), PruneItem::Reason::TooOld};
        if (!isOver(session) || mustKeep(session)) {
            kept += item.bytes;
        } else if (now - session.ended.value_or(session.started) > limits.age) {
            plan.push_back(std::move(item));
        } else {
            kept += item.bytes;
            item.reason = PruneItem::Reason::OverBudget;
            young.push_back(std::move(item));
        }
    }
    std::sort(young.begin(), young.end(), [](const PruneItem& one, const PruneItem& two) {
        return one.session.ended.value_or(one.session.started)
            < two.session.ended.value_or(two.session.started);
    });
    for (PruneItem& item : young) {
        if (kept <= limits.bytes) {
            break;
        }
        kept -= item.bytes;
        plan.push_back(std::move(item));
    }
    return plan;
}

Result<void> prune(Catalogue& catalogue, const std::filesystem::path& sessionsDirectory,
                   const PruneItem& item, const MustKeep& mustKeep)
{
    const std::string& id = item.session.id.text();
    if (item.session.id.isNone()) {
        return fail(ErrorCode::InvalidArgument, "prune a session without an id");
    }
    REVET_ASSIGN_OR_RETURN(const auto now, catalogue.session(item.session.id));
    if (!now || !isOver(*now) || mustKeep(*now)) {
        return fail(ErrorCode::Conflict, "prune the session " + id, "it is in use again, or gone");
    }
    REVET_ASSIGN_OR_RETURN(const UniqueFd directory, openSessions(sessionsDirectory));
    struct stat status = {};
    if (::fstatat(directory.get(), id.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
        REVET_RETURN_IF_ERROR(removeTree(directory.get(), id));
    } else if (errno != ENOENT) {
        return failErrno("look at the session " + id);
    }
    return catalogue.removeSession(item.session.id);
}

} // namespace revet::journal
