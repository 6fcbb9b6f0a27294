// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/open_broker.h"

#include "engine/supervisor/thread_state.h"

#include <array>
#include <cerrno>
#include <climits>
#include <memory>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace revet::supervisor {

namespace {

constexpr int kMaximumLinks = 40; // as the kernel: path_resolution(7)
constexpr std::uint64_t kSettable = O_APPEND | O_ASYNC | O_DIRECT | O_NOATIME | O_NONBLOCK;
constexpr mode_t kSetIdBits = S_ISUID | S_ISGID;

bool writes(std::uint64_t flags)
{
    const std::uint64_t access = flags & O_ACCMODE;
    return access == O_WRONLY || access == O_RDWR;
}

/// Unlinks what a call has created, unless something else has its name by now.
std::function<void()> retraction(Place place, const struct stat& created)
{
    auto shared = std::make_shared<Place>(std::move(place));
    const InodeKey inode = keyOf(created);
    return [shared, inode] {
        struct stat status = {};
        if (::fstatat(shared->directory.get(), shared->name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0
            && keyOf(status) == inode) {
            ::unlinkat(shared->directory.get(), shared->name.c_str(), 0);
        }
    };
}

} // namespace

struct OpenBroker::Request
{
    const Call& call;
    Target& target;
    std::uint64_t flags = 0;

    [[nodiscard]] bool mayCreate() const { return (flags & O_CREAT) != 0; }
    [[nodiscard]] bool mustCreate() const { return mayCreate() && (flags & O_EXCL) != 0; }
    [[nodiscard]] bool changesContent() const { return writes(flags) || (flags & O_TRUNC) != 0; }
    [[nodiscard]] Deed deed(ActionKind kind, const Root* root, std::string path) const
    {
        return {target.tid(), kind, root, std::move(path), {}, static_cast<std::int64_t>(flags)};
    }
};

Answer OpenBroker::perform(const Call& call, Target& target) const
{
    const Request request{call, target, call.flags};
    auto claimed = m_context.resolver.claim(target, call.path, call.resolve);
    if (!claimed || (call.flags & O_PATH) != 0) {
        return Answer::proceed();
    }
    if ((call.flags & O_TMPFILE) == O_TMPFILE) {
        return openWithoutName(request);
    }
    if ((!request.changesContent() && !request.mayCreate()) || (call.flags & O_DIRECTORY) != 0) {
        return observe(request);
    }
    if (claimed->descriptor) {
        return openDescriptor(request, *claimed->descriptor);
    }
    Claim claim = std::move(*claimed);
    for (int links = 0; links < kMaximumLinks; ++links) {
        if (!request.mustCreate()) {
            if (auto answer = openExisting(request, claim)) {
                return std::move(*answer);
            }
        }
        Created created = create(request, claim);
        if (Answer* answer = std::get_if<Answer>(&created)) {
            return std::move(*answer);
        }
        claim = std::move(std::get<Claim>(created));
    }
    return Answer::failure(ELOOP);
}

Answer OpenBroker::observe(const Request& request) const
{
    const auto claim = m_context.resolver.claim(request.target, request.call.path, request.call.resolve);
    if (!claim || claim->descriptor) {
        return Answer::proceed();
    }
    const bool keepsLink = (request.flags & O_NOFOLLOW) != 0;
    const auto found = m_context.resolver.object(*claim, keepsLink ? LastLink::Keep : LastLink::Follow);
    if (!found || !isBrokered(found->root)) {
        return Answer::proceed();
    }
    return m_context.facts.goesOn(request.deed(ActionKind::Read, found->root, found->path));
}

Answer OpenBroker::openDescriptor(const Request& request, int descriptor) const
{
    // O_NOFOLLOW and O_EXCL are about the link in procfs: the kernel's to answer.
    if ((request.flags & O_NOFOLLOW) != 0 || request.mustCreate()) {
        return Answer::proceed();
    }
    auto found = m_context.resolver.behind(request.target, descriptor);
    if (found && found->isKept()) {
        return request.changesContent()
            ? m_context.facts.denied(
                request.deed(ActionKind::Write, found->root, keptPath(m_context, *found)), {kKeptRule, EPERM})
            : Answer::proceed();
    }
    if (!found || !isBrokered(found->root) || !S_ISREG(found->status.st_mode)) {
        return Answer::proceed();
    }
    if (found->status.st_nlink > 0) {
        const Claim claim = m_context.resolver.claimOf(found->path);
        const InodeKey expected = keyOf(found->status);
        auto answer = openExisting(request, claim, &expected);
        return answer ? std::move(*answer) : Answer::failure(ENOENT);
    }
    // Without a name there is nothing to protect; its own mount says whether it may be written.
    const auto flags = static_cast<int>(request.flags & ~std::uint64_t{O_CREAT}) | O_CLOEXEC | O_NOCTTY;
    UniqueFd reopened(::open(throughProc(found->object.get()).c_str(), flags));
    const Deed deed = request.deed(ActionKind::Write, found->root, found->path);
    if (!reopened) {
        return m_context.facts.failed(deed, errno);
    }
    return m_context.facts.handedOver(deed, std::move(reopened), request.flags);
}

Answer OpenBroker::openWithoutName(const Request& request) const
{
    const auto claim = m_context.resolver.claim(request.target, request.call.path, request.call.resolve);
    const auto found = claim ? m_context.resolver.object(*claim, LastLink::Follow) : fail(claim.error());
    if (!found || !isBrokered(found->root) || !S_ISDIR(found->status.st_mode)) {
        return Answer::proceed();
    }
    const Deed deed = request.deed(ActionKind::Create, found->root, found->path);
    if ((request.call.mode & kSetIdBits) != 0) {
        return m_context.facts.denied(deed, {"set-id bits", EPERM});
    }
    applyFileModeMask(request.target.fileModeMask());
    UniqueFd file(::openat(found->object.get(), ".", static_cast<int>(request.flags) | O_CLOEXEC,
                           request.call.mode & 07777U));
    if (!file) {
        return m_context.facts.failed(deed, errno);
    }
    return m_context.facts.handedOver(deed, std::move(file), request.flags);
}

std::optional<Answer> OpenBroker::openExisting(const Request& request, const Claim& claim,
                                               const InodeKey* expected) const
{
    const auto likely = m_context.resolver.likelyMode(claim);
    if (!likely || !S_ISREG(*likely)) {
        // Opening a FIFO or a device is a deed in itself, so look before. A file takes the short way.
        const auto found = m_context.resolver.object(
            claim, (request.flags & O_NOFOLLOW) != 0 ? LastLink::Keep : LastLink::Follow);
        if (!found && found.error().errnoValue == ENOENT && request.mayCreate()) {
            return std::nullopt;
        }
        if (!found || !isBrokered(found->root)) {
            return Answer::proceed();
        }
        if (!S_ISREG(found->status.st_mode)) {
            return m_context.facts.goesOn(request.deed(ActionKind::Write, found->root, found->path));
        }
    }
    const std::uint64_t dropped = O_CREAT | O_EXCL | O_TRUNC | O_CLOEXEC;
    auto opened = m_context.resolver.open(claim, (request.flags & ~dropped) | O_NONBLOCK | O_NOCTTY);
    if (!opened) {
        if (opened.error().errnoValue == ENOENT && request.mayCreate()) {
            return std::nullopt;
        }
        return openFailed(request, claim, opened.error().errnoValue);
    }
    auto found = m_context.resolver.identify(std::move(*opened));
    if (!found || !isBrokered(found->root) || !S_ISREG(found->status.st_mode)) {
        return Answer::proceed();
    }
    if (request.mayCreate() && claim.text.ends_with('/')) {
        return Answer::proceed();
    }
    if (expected != nullptr && request.changesContent()) {
        const bool isShared = found->status.st_nlink > 1 && !m_context.links.areAllInside(found->status);
        if (keyOf(found->status) != *expected || isShared) {
            return m_context.facts.denied(
                request.deed(ActionKind::Write, found->root, found->path),
                {isShared ? "hard link: may have a name outside the project" : kKeptRule, EPERM});
        }
    }
    if (!request.changesContent()) {
        return m_context.facts.goesOn(request.deed(ActionKind::Read, found->root, found->path));
    }
    return openJudged(request, std::move(*found));
}

Answer OpenBroker::openFailed(const Request& request, const Claim& claim, int errnoValue) const
{
    const auto found = m_context.resolver.object(claim, LastLink::Follow);
    if (!found || !isBrokered(found->root)) {
        return Answer::proceed();
    }
    if (errnoValue == EAGAIN && (request.flags & O_NONBLOCK) == 0) {
        return Answer::later();
    }
    return m_context.facts.failed(request.deed(ActionKind::Write, found->root, found->path), errnoValue);
}

Answer OpenBroker::openJudged(const Request& request, Found found) const
{
    if (found.status.st_nlink == 0) {
        return finish(request, std::move(found));
    }
    const auto deed = [&] { return request.deed(ActionKind::Write, found.root, found.path); };
    const GitFinding finding = m_context.guard.git().find(found.path);
    if (auto refusal = m_context.guard.changing(found.path, finding)) {
        // What git writes in place, and whose content can be judged when it is complete.
        auto place = m_context.resolver.place(m_context.resolver.claimOf(found.path));
        if (finding.entry == policy::GitEntry::CommonDir && place) {
            return openDeferred(request, std::move(*place));
        }
        return m_context.facts.denied(deed(), *refusal);
    }
    if (finding.isDotGit) {
        auto place = m_context.resolver.place(m_context.resolver.claimOf(found.path));
        return place ? openDeferred(request, std::move(*place)) : Answer::failure(ENOENT);
    }
    if (found.status.st_nlink > 1 && !m_context.links.areAllInside(found.status)) {
        const bool keepContent = (request.flags & O_TRUNC) == 0;
        if (auto refusal = separateLinks(m_context, found.path, found.status, keepContent)) {
            return m_context.facts.denied(deed(), *refusal);
        }
        const std::uint64_t dropped = O_CREAT | O_EXCL | O_TRUNC | O_CLOEXEC;
        auto again = m_context.resolver.open(m_context.resolver.claimOf(found.path),
                                             (request.flags & ~dropped) | O_NONBLOCK | O_NOCTTY);
        auto copy = again ? m_context.resolver.identify(std::move(*again)) : fail(again.error());
        if (!copy || copy->path != found.path || copy->status.st_nlink > 1) {
            return m_context.facts.denied(deed(), {"hard link: changed meanwhile"});
        }
        found = std::move(*copy);
    }
    return finish(request, std::move(found));
}

Answer OpenBroker::finish(const Request& request, Found found) const
{
    Deed deed = request.deed(ActionKind::Write, found.root, std::move(found.path));
    if (found.status.st_nlink > 0) {
        Precaution kept = m_context.preImages.writing(*found.root, deed.target, found.status);
        if (kept.refusal) {
            return m_context.facts.denied(deed, *kept.refusal);
        }
        deed.rule = std::move(kept.note);
    }
    if ((request.flags & O_TRUNC) != 0) {
        const int result = writes(request.flags) ? ::ftruncate(found.object.get(), 0)
                                                 : ::truncate(throughProc(found.object.get()).c_str(), 0);
        if (result != 0) {
            return m_context.facts.failed(deed, errno);
        }
    }
    if ((request.flags & O_NONBLOCK) == 0) {
        static_cast<void>(::fcntl(found.object.get(), F_SETFL, static_cast<int>(request.flags & kSettable)));
    }
    return m_context.facts.handedOver(deed, std::move(found.object), request.flags);
}

Answer OpenBroker::openDeferred(const Request& request, Place place) const
{
    const Deed deed = request.deed(ActionKind::Write, place.root, place.path());
    if (auto refusal
        = m_context.guard.creating(place, EntryKind::File, {}, MutationGuard::ContentJudge::Caller)) {
        return m_context.facts.denied(deed, *refusal);
    }
    applyFileModeMask(request.target.fileModeMask());
    auto file
        = m_context.deferred.open(std::move(place), request.flags, request.call.mode, request.target.tid());
    if (!file) {
        return m_context.facts.failed(deed, file.error().errnoValue != 0 ? file.error().errnoValue : EACCES);
    }
    return m_context.facts.handedOver(deed, std::move(*file), request.flags);
}

OpenBroker::Created OpenBroker::create(const Request& request, const Claim& claim) const
{
    auto place = m_context.resolver.place(claim);
    // A parent that cannot be reached, a last "." or a trailing slash: the kernel's own error is the same
    // on the read-only view.
    if (!place || !isBrokered(place->root) || place->hasTrailingSlash) {
        return Answer::proceed();
    }
    const Deed deed = request.deed(ActionKind::Create, place->root, place->path());
    if ((request.call.mode & kSetIdBits) != 0) {
        return m_context.facts.denied(deed, {"set-id bits", EPERM});
    }
    const GitFinding finding = m_context.guard.git().find(deed.target);
    if (finding.isJudgedByContent()) {
        struct stat status = {};
        const bool exists
            = ::fstatat(place->directory.get(), place->name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
        if (exists) {
            return alreadyThere(request, claim, *place);
        }
        return openDeferred(request, std::move(*place));
    }
    if (auto refusal = m_context.guard.creating(*place, EntryKind::File, {})) {
        struct stat status = {};
        if (::fstatat(place->directory.get(), place->name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
            return alreadyThere(request, claim, *place);
        }
        return m_context.facts.denied(deed, *refusal);
    }
    if (auto refusal = m_context.preImages.creating(*place)) {
        return m_context.facts.denied(deed, *refusal);
    }
    applyFileModeMask(request.target.fileModeMask());
    const int flags = static_cast<int>(request.flags) | O_CREAT | O_EXCL | O_CLOEXEC;
    UniqueFd file(::openat(place->directory.get(), place->name.c_str(), flags, request.call.mode & 07777U));
    if (!file) {
        const int error = errno;
        m_context.preImages.failed();
        if (error == EEXIST) {
            return alreadyThere(request, claim, *place);
        }
        return m_context.facts.failed(deed, error);
    }
    m_context.preImages.created(*place);
    struct stat status = {};
    Answer answer = m_context.facts.handedOver(deed, std::move(file), request.flags);
    if (::fstat(answer.descriptor.get(), &status) == 0) {
        answer.retract = retraction(std::move(*place), status);
    }
    return answer;
}

OpenBroker::Created OpenBroker::alreadyThere(const Request& request, const Claim& claim,
                                             const Place& place) const
{
    const Deed deed = request.deed(ActionKind::Create, place.root, place.path());
    if (request.mustCreate()) {
        return m_context.facts.failed(deed, EEXIST);
    }
    std::array<char, PATH_MAX> text{};
    const ssize_t length = ::readlinkat(place.directory.get(), place.name.c_str(), text.data(), text.size());
    if (length <= 0) {
        return m_context.resolver.claimOf(place.path());
    }
    if ((request.flags & O_NOFOLLOW) != 0) {
        return m_context.facts.failed(deed, ELOOP);
    }
    if (claim.base) {
        return Answer::proceed(); // openat2's bounds hold for the link too: the read-only view answers.
    }
    std::string next(text.data(), static_cast<std::size_t>(length));
    return m_context.resolver.claimOf(next.front() == '/' ? next : place.directoryPath + '/' + next);
}

} // namespace revet::supervisor
