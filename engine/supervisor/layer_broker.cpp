// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/layer_broker.h"

#include "engine/supervisor/mutation_guard.h"
#include "engine/supervisor/tree_move.h"

#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace revet::supervisor {

namespace {

/// Whether the call is about a name rather than about what has the name.
bool isAboutName(const Call& call)
{
    switch (call.operation) {
    case Operation::MakeDirectory:
    case Operation::MakeNode:
    case Operation::MakeSymlink:
    case Operation::MakeLink:
    case Operation::Remove:
    case Operation::RemoveDirectory:
    case Operation::Rename:
    case Operation::BindLocalSocket:
        return true;
    case Operation::Open:
    case Operation::Connect:
    case Operation::Truncate:
    case Operation::ChangeMode:
    case Operation::ChangeOwner:
    case Operation::ChangeTimes:
    case Operation::SetAttribute:
    case Operation::RemoveAttribute:
    case Operation::CheckAccess:
        break;
    }
    return false;
}

std::optional<Refusal> forbidden(const Call& call)
{
    if (call.operation == Operation::MakeNode && (S_ISCHR(call.mode) || S_ISBLK(call.mode))) {
        return Refusal{"device node", EPERM};
    }
    const bool isAttribute
        = call.operation == Operation::SetAttribute || call.operation == Operation::RemoveAttribute;
    const std::string_view name = call.text;
    if (isAttribute
        && (name.starts_with("user.overlay.") || name.starts_with("security.")
            || name.starts_with("trusted."))) {
        return Refusal{"attribute " + call.text, EPERM};
    }
    return {};
}

} // namespace

std::optional<LayerBroker::Subject> LayerBroker::subject(const Call& call, Target& target) const
{
    const bool keepsLink
        = (call.flags & (call.operation == Operation::Open ? O_NOFOLLOW : AT_SYMLINK_NOFOLLOW)) != 0;
    if (call.path.isDescriptor) {
        const auto found = m_resolver.behind(target, call.path.directory);
        return found ? std::optional<Subject>({found->root, found->path}) : std::nullopt;
    }
    const auto claim = m_resolver.claim(target, call.path, call.resolve);
    if (!claim) {
        return std::nullopt;
    }
    if (claim->descriptor) {
        const auto found = m_resolver.behind(target, *claim->descriptor);
        return found ? std::optional<Subject>({found->root, found->path}) : std::nullopt;
    }
    if (!isAboutName(call)) {
        const auto found = m_resolver.object(*claim, keepsLink ? LastLink::Keep : LastLink::Follow);
        if (found) {
            return Subject{found->root, found->path};
        }
        if (call.operation != Operation::Open || (call.flags & O_CREAT) == 0) {
            return std::nullopt;
        }
    }
    const auto place = m_resolver.place(*claim);
    return place ? std::optional<Subject>({place->root, place->path()}) : std::nullopt;
}

std::optional<Answer> LayerBroker::perform(const Call& call, Target& target) const
{
    const auto about = subject(call, target);
    if (!about || about->root == nullptr || about->root->kind != Root::Kind::Layered) {
        return std::nullopt;
    }
    Deed deed{
        target.tid(), actionOf(call),
        about->root,  about->path,
        {},           static_cast<std::int64_t>(call.operation == Operation::Open ? call.flags : call.mode)};
    if (const auto refusal = forbidden(call)) {
        return m_facts.denied(deed, *refusal);
    }
    switch (call.operation) {
    case Operation::MakeLink:
        return link(call, target, std::move(deed));
    case Operation::Rename:
        return rename(call, target, std::move(deed));
    case Operation::CheckAccess:
        return Answer::proceed();
    case Operation::MakeSymlink:
    case Operation::Open:
    case Operation::MakeDirectory:
    case Operation::MakeNode:
    case Operation::Remove:
    case Operation::RemoveDirectory:
    case Operation::Truncate:
    case Operation::ChangeMode:
    case Operation::ChangeOwner:
    case Operation::ChangeTimes:
    case Operation::SetAttribute:
    case Operation::RemoveAttribute:
        break;
    case Operation::BindLocalSocket:
    case Operation::Connect:
        return std::nullopt; // another broker's
    }
    // Not recorded here: the forecast looks whether there is anything that the kernel will do.
    return Answer::proceed();
}

Answer LayerBroker::link(const Call& call, Target& target, Deed deed) const
{
    const auto claim = m_resolver.claim(target, call.second);
    const auto place = claim ? m_resolver.place(*claim) : fail(claim.error());
    deed.other = place ? place->path() : call.second.path;
    struct stat status = {};
    const std::string relative(relativeTo(*deed.root, deed.target));
    const bool isInUpper = deed.root->upper.isOpen()
        && ::fstatat(deed.root->upper.get(), relative.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
    // A link to a lower file would need the copy-up of every other name of it: overlayfs says EXDEV on some
    // kernels and breaks the link on others. Programs know EXDEV and copy.
    const auto merged = m_resolver.object(m_resolver.claimOf(deed.target), LastLink::Keep);
    if (!isInUpper && merged && merged->status.st_nlink > 0 && !S_ISDIR(merged->status.st_mode)) {
        return m_facts.failed(deed, EXDEV);
    }
    return Answer::proceed();
}

Answer LayerBroker::rename(const Call& call, Target& target, Deed deed) const
{
    const auto oldClaim = m_resolver.claim(target, call.path);
    const auto newClaim = m_resolver.claim(target, call.second);
    const auto from = oldClaim ? m_resolver.place(*oldClaim) : fail(oldClaim.error());
    const auto to = newClaim ? m_resolver.place(*newClaim) : fail(newClaim.error());
    deed.other = to ? to->path() : call.second.path;
    for (const std::string* path : {&deed.target, &deed.other}) {
        if (const auto refusal = maskedBy(m_masked, *path)) {
            return m_facts.denied(deed, *refusal);
        }
    }
    struct stat status = {};
    const bool isDirectory = from
        && ::fstatat(from->directory.get(), from->name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0
        && S_ISDIR(status.st_mode);
    if (!from || !to || !isDirectory || from->root != to->root
        || (call.flags & ~std::uint64_t{RENAME_NOREPLACE}) != 0) {
        return Answer::proceed();
    }
    if (::syscall(SYS_renameat2, from->directory.get(), from->nameAsWritten().c_str(), to->directory.get(),
                  to->nameAsWritten().c_str(), static_cast<unsigned>(call.flags))
        == 0) {
        return m_facts.succeeded(deed);
    }
    const bool mustBeNew = (call.flags & RENAME_NOREPLACE) != 0;
    if (errno != EXDEV
        || (mustBeNew
            && ::fstatat(to->directory.get(), to->name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0)) {
        return m_facts.failed(deed, errno == EXDEV || errno == 0 ? EEXIST : errno);
    }
    const auto moved = moveTree(*from, *to);
    return moved ? m_facts.succeeded(deed) : m_facts.failed(deed, moved.error().errnoValue);
}

} // namespace revet::supervisor
