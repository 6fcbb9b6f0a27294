// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/metadata_broker.h"

#include <cerrno>
#include <csignal>
#include <utility>

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace revet::supervisor {

namespace {

constexpr mode_t kModeBits = 07777;
constexpr std::uint64_t kXattrFlags = XATTR_CREATE | XATTR_REPLACE;

bool isPathOnly(int fd)
{
    const int flags = ::fcntl(fd, F_GETFL);
    return flags >= 0 && (flags & O_PATH) != 0;
}

/// Marks that overlayfs or the host would act upon.
bool isForbiddenAttribute(std::string_view name)
{
    return name.starts_with("user.overlay.") || name.starts_with("security.") || name.starts_with("trusted.");
}

bool hasSetIdBits(const Call& call, mode_t mode)
{
    const mode_t forbidden = S_ISDIR(mode) ? mode_t{S_ISUID} : mode_t{S_ISUID | S_ISGID};
    return (call.mode & forbidden) != 0;
}

/// Performs the call on an object held open, by the forms that work for O_PATH descriptors too.
int change(const Call& call, int object)
{
    const std::string path = throughProc(object);
    switch (call.operation) {
    case Operation::ChangeMode:
        return ::chmod(path.c_str(), call.mode & kModeBits);
    case Operation::ChangeOwner:
        return ::fchownat(object, "", call.owner, call.group, AT_EMPTY_PATH);
    case Operation::ChangeTimes:
        return static_cast<int>(
            ::syscall(SYS_utimensat, object, "", call.hasTimes ? call.times : nullptr, AT_EMPTY_PATH));
    case Operation::SetAttribute:
        return ::setxattr(path.c_str(), call.text.c_str(), call.value.data(), call.value.size(),
                          static_cast<int>(call.flags & kXattrFlags));
    case Operation::RemoveAttribute:
        return ::removexattr(path.c_str(), call.text.c_str());
    case Operation::CheckAccess:
        return static_cast<int>(::syscall(SYS_faccessat2, object, "", call.mode,
                                          AT_EMPTY_PATH | static_cast<int>(call.flags & AT_EACCESS)));
    case Operation::Truncate:
        return ::truncate(path.c_str(), call.size);
    case Operation::Open:
    case Operation::MakeDirectory:
    case Operation::MakeNode:
    case Operation::MakeSymlink:
    case Operation::MakeLink:
    case Operation::Remove:
    case Operation::RemoveDirectory:
    case Operation::Rename:
    case Operation::BindLocalSocket:
    case Operation::Connect:
        break;
    }
    errno = ENOSYS;
    return -1;
}

} // namespace

Result<Found> MetadataBroker::subject(const Call& call, Target& target) const
{
    const RootResolver& resolver = m_context.resolver;
    if (call.path.isDescriptor && call.path.directory == AT_FDCWD) {
        REVET_ASSIGN_OR_RETURN(const std::string cwd, target.workingDirectory());
        return resolver.object(resolver.claimOf(cwd), LastLink::Keep);
    }
    if (call.path.isDescriptor) {
        REVET_ASSIGN_OR_RETURN(const UniqueFd duplicate, target.duplicateDescriptor(call.path.directory));
        // fchmod(2) and its like want an open file; only the AT_EMPTY_PATH forms take any descriptor.
        if (isPathOnly(duplicate.get()) && (call.flags & AT_EMPTY_PATH) == 0) {
            return fail(Error::fromErrno("change by a descriptor", EBADF));
        }
        return resolver.behind(target, call.path.directory);
    }
    REVET_ASSIGN_OR_RETURN(const Claim claim, resolver.claim(target, call.path));
    const bool keepsLink = (call.flags & AT_SYMLINK_NOFOLLOW) != 0;
    if (claim.descriptor && !keepsLink) {
        return resolver.behind(target, *claim.descriptor);
    }
    return resolver.object(claim, keepsLink ? LastLink::Keep : LastLink::Follow);
}

Judgement MetadataBroker::judge(const Call& call, const Found& found) const
{
    if (call.operation == Operation::ChangeMode && hasSetIdBits(call, found.status.st_mode)) {
        return Refusal{"set-id bits", EPERM};
    }
    const bool isAttribute
        = call.operation == Operation::SetAttribute || call.operation == Operation::RemoveAttribute;
    if (isAttribute && isForbiddenAttribute(call.text)) {
        return Refusal{"attribute " + call.text, EPERM};
    }
    if (auto refusal = m_context.guard.keptByUndo(found.path)) {
        return refusal;
    }
    const bool isHarmless
        = call.operation == Operation::CheckAccess || call.operation == Operation::ChangeTimes;
    if (found.status.st_nlink == 0 || isHarmless || S_ISDIR(found.status.st_mode)) {
        return {};
    }
    return call.operation == Operation::ChangeMode ? m_context.guard.changingMode(found.path)
                                                   : m_context.guard.changing(found.path);
}

Answer MetadataBroker::perform(const Call& call, Target& target) const
{
    auto found = subject(call, target);
    const bool isByDescriptor = call.path.isDescriptor;
    if (!found) {
        return isByDescriptor && found.error().errnoValue == EBADF ? Answer::failure(EBADF)
                                                                   : Answer::proceed();
    }
    if (found->root != nullptr && found->root->kind == Root::Kind::Layered) {
        return Answer::proceed();
    }
    Deed deed{
        target.tid(), ActionKind::Chmod, found->root, found->path, {}, static_cast<std::int64_t>(call.mode)};
    if (found->isKept() && call.operation != Operation::CheckAccess) {
        deed.target = keptPath(m_context, *found);
        return m_context.facts.denied(deed, {kKeptRule, EPERM});
    }
    if (found->root == nullptr) {
        // A path elsewhere is the kernel's to change. A descriptor could be exchanged for one of ours before
        // the kernel looks again, and ours are writable: what was looked at is what is changed.
        if (!isByDescriptor || call.path.directory == AT_FDCWD) {
            return Answer::proceed();
        }
        if (auto refusal = judge(call, *found); refusal && refusal->errnoValue == EPERM) {
            return Answer::failure(EPERM);
        }
        return change(call, found->object.get()) == 0 ? Answer::success() : Answer::failure(errno);
    }
    if (call.operation == Operation::CheckAccess) {
        return change(call, found->object.get()) == 0 ? Answer::success() : Answer::failure(errno);
    }
    if (auto refusal = judge(call, *found)) {
        return m_context.facts.denied(deed, *refusal);
    }
    const bool isShared = S_ISREG(found->status.st_mode) && found->status.st_nlink > 1
        && call.operation != Operation::ChangeTimes;
    if (isShared && !m_context.links.areAllInside(found->status)) {
        if (isByDescriptor) {
            return m_context.facts.denied(deed, {"hard link: may have a name outside the project", EPERM});
        }
        if (auto refusal = separateLinks(m_context, found->path, found->status, true)) {
            return m_context.facts.denied(deed, *refusal);
        }
        found = m_context.resolver.object(m_context.resolver.claimOf(found->path), LastLink::Keep);
        if (!found || found->path != deed.target || found->status.st_nlink > 1) {
            return m_context.facts.denied(deed, {"hard link: changed meanwhile"});
        }
    }
    if (call.operation == Operation::Truncate) {
        return truncate(call, target, *found, deed);
    }
    if (found->status.st_nlink > 0) {
        if (auto refusal = m_context.preImages.changing(*found->root, found->path, found->status)) {
            return m_context.facts.denied(deed, *refusal);
        }
    }
    return m_context.facts.outcome(deed, change(call, found->object.get()));
}

Answer MetadataBroker::truncate(const Call& call, Target& target, const Found& found, const Deed& deed) const
{
    Deed write = deed;
    write.kind = ActionKind::Write;
    const auto size = static_cast<std::uint64_t>(call.size);
    // Our own limit is not the target's; the kernel looks at it for growth only (truncate(2), setrlimit(2)).
    if (call.size > found.status.st_size && S_ISREG(found.status.st_mode) && size > target.fileSizeLimit()) {
        ::syscall(SYS_tkill, target.tid(), SIGXFSZ);
        return m_context.facts.failed(write, EFBIG);
    }
    if (S_ISREG(found.status.st_mode) && found.status.st_nlink > 0) {
        Precaution kept = m_context.preImages.writing(*found.root, found.path, found.status);
        if (kept.refusal) {
            return m_context.facts.denied(write, *kept.refusal);
        }
        write.rule = std::move(kept.note);
    }
    return m_context.facts.outcome(write, change(call, found.object.get()));
}

} // namespace revet::supervisor
