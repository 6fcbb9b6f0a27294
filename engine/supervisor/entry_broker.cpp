// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/entry_broker.h"

#include "engine/supervisor/thread_state.h"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace revet::supervisor {

namespace {

/// The place that a call is about, if it is ours to change. Where it is not, or cannot be reached at all, the
/// kernel answers on the read-only view, and with the same error.
std::optional<Place> brokeredPlace(const BrokerContext& context, Target& target, const PathArgument& argument)
{
    const auto claim = context.resolver.claim(target, argument);
    if (!claim) {
        return std::nullopt;
    }
    auto place = context.resolver.place(*claim);
    if (!place || !isBrokered(place->root)) {
        return std::nullopt;
    }
    return std::move(*place);
}

Deed deedAt(const Place& place, Target& target, ActionKind kind, std::int64_t detail = 0)
{
    return {target.tid(), kind, place.root, place.path(), {}, detail};
}

} // namespace

Answer EntryBroker::makeDirectory(const Call& call, Target& target) const
{
    const auto place = brokeredPlace(m_context, target, call.path);
    if (!place) {
        return Answer::proceed();
    }
    const Deed deed = deedAt(*place, target, ActionKind::Create, call.mode);
    if (auto refusal = m_context.guard.creating(*place, EntryKind::Directory, {})) {
        return m_context.facts.denied(deed, *refusal);
    }
    if (auto refusal = m_context.preImages.creating(*place)) {
        return m_context.facts.denied(deed, *refusal);
    }
    applyFileModeMask(target.fileModeMask());
    if (::mkdirat(place->directory.get(), place->nameAsWritten().c_str(), call.mode) != 0) {
        return undone(deed, errno);
    }
    m_context.guard.madeDirectory(*place);
    m_context.preImages.created(*place);
    return m_context.facts.succeeded(deed);
}

Answer EntryBroker::makeNode(const Call& call, Target& target) const
{
    const auto place = brokeredPlace(m_context, target, call.path);
    if (!place) {
        return Answer::proceed();
    }
    const Deed deed = deedAt(*place, target, ActionKind::Create, call.mode);
    // A character device 0:0 is a whiteout, which anybody may make: it would hide files in later layers.
    if (S_ISCHR(call.mode) || S_ISBLK(call.mode)) {
        return m_context.facts.denied(deed, {"device node", EPERM});
    }
    if ((call.mode & (S_ISUID | S_ISGID)) != 0) {
        return m_context.facts.denied(deed, {"set-id bits", EPERM});
    }
    const bool isFile = S_ISREG(call.mode) || (call.mode & S_IFMT) == 0;
    if (auto refusal = m_context.guard.creating(*place, isFile ? EntryKind::File : EntryKind::Other, {})) {
        return m_context.facts.denied(deed, *refusal);
    }
    if (auto refusal = m_context.preImages.creating(*place)) {
        return m_context.facts.denied(deed, *refusal);
    }
    applyFileModeMask(target.fileModeMask());
    return made(deed, *place,
                ::mknodat(place->directory.get(), place->nameAsWritten().c_str(), call.mode, 0));
}

Answer EntryBroker::makeSymlink(const Call& call, Target& target) const
{
    const auto place = brokeredPlace(m_context, target, call.path);
    if (!place) {
        return Answer::proceed();
    }
    Deed deed = deedAt(*place, target, ActionKind::Create);
    deed.other = call.text;
    if (auto refusal = m_context.guard.creating(*place, EntryKind::Symlink, call.text)) {
        return m_context.facts.denied(deed, *refusal);
    }
    if (auto refusal = m_context.preImages.creating(*place)) {
        return m_context.facts.denied(deed, *refusal);
    }
    return made(deed, *place,
                ::symlinkat(call.text.c_str(), place->directory.get(), place->nameAsWritten().c_str()));
}

Answer EntryBroker::made(const Deed& deed, const Place& place, int result) const
{
    if (result != 0) {
        return undone(deed, errno);
    }
    m_context.preImages.created(place);
    return m_context.facts.succeeded(deed);
}

Result<Found> EntryBroker::linkSource(const Call& call, Target& target) const
{
    if (call.path.isDescriptor) {
        return m_context.resolver.behind(target, call.path.directory);
    }
    REVET_ASSIGN_OR_RETURN(const Claim claim, m_context.resolver.claim(target, call.path));
    const bool follows = (call.flags & AT_SYMLINK_FOLLOW) != 0;
    if (claim.descriptor && follows) {
        return m_context.resolver.behind(target, *claim.descriptor);
    }
    return m_context.resolver.object(claim, follows ? LastLink::Follow : LastLink::Keep);
}

Answer EntryBroker::makeLink(const Call& call, Target& target) const
{
    const auto source = linkSource(call, target);
    const auto place = brokeredPlace(m_context, target, call.second);
    if (!place) {
        return Answer::proceed();
    }
    Deed deed{target.tid(),  ActionKind::Link,
              place->root,   source ? source->path : call.path.path,
              place->path(), 0};
    if (!source) {
        // The outer root has no procfs, which is another mount whatever is there. The kernel would speak of
        // the read-only target first.
        const bool isProcfs = call.path.path.starts_with("/proc/");
        return m_context.facts.failed(deed, isProcfs ? EXDEV : source.error().errnoValue);
    }
    if (source->isKept()) {
        deed.target = keptPath(m_context, *source);
        return m_context.facts.denied(deed, {kKeptRule, EPERM});
    }
    if (source->root != place->root) {
        return m_context.facts.failed(deed, EXDEV);
    }
    if (S_ISDIR(source->status.st_mode)) {
        return m_context.facts.failed(deed, EPERM);
    }
    const bool hasName = source->status.st_nlink > 0;
    if (hasName) {
        if (auto refusal = m_context.guard.linking(source->path)) {
            return m_context.facts.denied(deed, *refusal);
        }
    }
    const bool isSymlink = S_ISLNK(source->status.st_mode);
    // A further name for a link keeps its text, which may lead elsewhere from here.
    if (auto refusal
        = m_context.guard.creating(*place, kindOf(source->status.st_mode), isSymlink ? "/" : "")) {
        refusal->crossing.reset(); // it could be written by its other name, also later
        return m_context.facts.denied(deed, *refusal);
    }
    if (m_context.guard.isRunLater(deed.other)) { // whatever has been permitted for its content
        return m_context.facts.denied(deed, {"run-later: a further name of a file"});
    }
    if (!hasName) {
        if (auto refusal = m_context.preImages.creating(*place)) {
            return m_context.facts.denied(deed, *refusal);
        }
        return made(deed, *place,
                    ::linkat(AT_FDCWD, throughProc(source->object.get()).c_str(), place->directory.get(),
                             place->nameAsWritten().c_str(), AT_SYMLINK_FOLLOW));
    }
    const auto from = m_context.resolver.place(m_context.resolver.claimOf(source->path));
    if (!from) {
        return m_context.facts.failed(deed, from.error().errnoValue);
    }
    if (auto refusal = m_context.preImages.linking(*place, *source)) {
        return m_context.facts.denied(deed, *refusal);
    }
    if (::linkat(from->directory.get(), from->name.c_str(), place->directory.get(),
                 place->nameAsWritten().c_str(), 0)
        != 0) {
        return undone(deed, errno);
    }
    m_context.links.added(source->status);
    m_context.preImages.linked(*place);
    return m_context.facts.succeeded(deed);
}

Answer EntryBroker::undone(const Deed& deed, int errnoValue) const
{
    m_context.preImages.failed();
    return m_context.facts.failed(deed, errnoValue);
}

Answer EntryBroker::keptFromRemoving(const Deed& deed, const Refusal& refusal) const
{
    Answer answer = m_context.facts.denied(deed, refusal);
    if (answer.kind != Answer::Kind::Later) {
        m_context.preImages.denied();
    }
    return answer;
}

Answer EntryBroker::remove(const Call& call, Target& target) const
{
    const auto place = brokeredPlace(m_context, target, call.path);
    if (!place) {
        return Answer::proceed();
    }
    Deed deed = deedAt(*place, target, ActionKind::Delete);
    struct stat status = {};
    if (::fstatat(place->directory.get(), place->name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
        return m_context.facts.failed(deed, errno);
    }
    if (auto refusal = m_context.guard.removing(*place, kindOf(status.st_mode))) {
        return m_context.facts.denied(deed, *refusal);
    }
    // Neither "f/" nor a directory is unlink(2)'s to remove, whatever is kept.
    const bool mayHappen = !S_ISDIR(status.st_mode) && !place->hasTrailingSlash;
    const Precaution kept
        = mayHappen ? m_context.preImages.removing(target.tid(), *place, status) : Precaution();
    if (kept.refusal) {
        return keptFromRemoving(deed, *kept.refusal);
    }
    if (kept.failure != 0) {
        return m_context.facts.failed(deed, kept.failure);
    }
    if (!kept.isDone && ::unlinkat(place->directory.get(), place->nameAsWritten().c_str(), 0) != 0) {
        return mayHappen ? undone(deed, errno) : m_context.facts.failed(deed, errno);
    }
    m_context.links.removed(status);
    deed.rule = kept.note;
    return m_context.facts.succeeded(deed);
}

Answer EntryBroker::removeDirectory(const Call& call, Target& target) const
{
    const auto place = brokeredPlace(m_context, target, call.path);
    if (!place) {
        return Answer::proceed();
    }
    const Deed deed = deedAt(*place, target, ActionKind::Delete);
    struct stat status = {};
    if (::fstatat(place->directory.get(), place->name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
        return m_context.facts.failed(deed, errno);
    }
    if (auto refusal = m_context.guard.removing(*place, EntryKind::Directory)) {
        return m_context.facts.denied(deed, *refusal);
    }
    const Precaution kept
        = S_ISDIR(status.st_mode) ? m_context.preImages.removing(target.tid(), *place, status) : Precaution();
    if (kept.refusal) {
        return keptFromRemoving(deed, *kept.refusal);
    }
    if (::unlinkat(place->directory.get(), place->nameAsWritten().c_str(), AT_REMOVEDIR) != 0) {
        return S_ISDIR(status.st_mode) ? undone(deed, errno) : m_context.facts.failed(deed, errno);
    }
    m_context.guard.removedDirectory(status);
    return m_context.facts.succeeded(deed);
}

} // namespace revet::supervisor
