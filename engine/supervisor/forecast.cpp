// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/forecast.h"

#include "engine/os/uapi.h"
#include "engine/supervisor/call_decoder.h"
#include "engine/supervisor/place.h"

#include <cerrno>
#include <memory>
#include <string_view>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace revet::supervisor {
namespace {

using State = Sighting::State;
using LastComponent = Resolver::LastComponent;

constexpr std::uint64_t kTemporaryFile = O_TMPFILE & ~O_DIRECTORY;

[[nodiscard]] bool isSpecial(mode_t mode)
{
    return mode == 0 || S_ISCHR(mode) || S_ISBLK(mode) || S_ISFIFO(mode) || S_ISSOCK(mode);
}

/// Whether it holds something, as far as it can be read at all.
[[nodiscard]] bool isFilledDirectory(int directory)
{
    const int fd = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(fd < 0 ? nullptr : ::fdopendir(fd), ::closedir);
    // NOLINTNEXTLINE(concurrency-mt-unsafe): readdir is safe on a stream of one's own (POSIX.1-2024)
    while (const dirent* const entry = stream ? ::readdir(stream.get()) : nullptr) {
        const std::string_view name = entry->d_name;
        if (name != "." && name != "..") {
            return true;
        }
    }
    return false;
}

[[nodiscard]] LastComponent lastOf(const Call& call)
{
    const bool keeps = call.operation == Operation::Open
        ? (call.flags & O_NOFOLLOW) != 0
        : call.operation != Operation::Truncate && (call.flags & AT_SYMLINK_NOFOLLOW) != 0;
    return keeps ? LastComponent::Keep : LastComponent::Follow;
}

/// Whether the descriptor is of what undo keeps since it was removed. No way leads there from the box, and
/// the kernel calls that "/".
[[nodiscard]] bool isUnreachable(Target& target, const PathArgument& path, const std::string& claimed)
{
    if (claimed != "/" || !path.isDescriptor) {
        return false;
    }
    const auto duplicate = target.duplicateDescriptor(path.directory);
    struct stat status = {};
    return duplicate && ::fstat(duplicate->get(), &status) == 0 && !S_ISDIR(status.st_mode);
}

/// The claim without its last name, and that name.
[[nodiscard]] std::pair<std::string, std::string> split(std::string claimed)
{
    while (claimed.size() > 1 && claimed.ends_with('/')) {
        claimed.pop_back();
    }
    const std::size_t slash = claimed.rfind('/');
    return {slash == 0 ? "/" : claimed.substr(0, slash), claimed.substr(slash + 1)};
}

} // namespace

Forecast::Forecast(const BoxView& box, Resolver& resolver, FactSink& facts)
    : m_box(box)
    , m_resolver(resolver)
    , m_facts(facts)
{
}

Result<void> Forecast::readingOpen(Target& target, const Call& call)
{
    if (m_box.observe != ObserveLevel::Full || (call.flags & (O_PATH | O_DIRECTORY)) != 0) {
        return {};
    }
    REVET_ASSIGN_OR_RETURN(const std::string claimed, m_resolver.claimedPath(target, call.path));
    const Sighting& sighting = m_resolver.lookForReading(claimed);
    if (sighting.state != State::Exists) {
        withheld(target, ActionKind::Read, sighting);
        return exhaustion();
    }
    if (S_ISDIR(sighting.mode)) {
        return {};
    }
    Fact fact;
    fact.target = sighting.path;
    fact.detail = static_cast<std::int64_t>(call.flags);
    if (!sighting.isReadable) {
        fact.verdict = Verdict::Failed;
        fact.errnoValue = EACCES;
    }
    m_facts.record(target.tid(), std::move(fact));
    return {};
}

Result<void> Forecast::mutation(Target& target, const Call& call)
{
    REVET_RETURN_IF_ERROR(recordMutation(target, call));
    return exhaustion();
}

Result<void> Forecast::recordMutation(Target& target, const Call& call)
{
    if (call.operation == Operation::CheckAccess || call.operation == Operation::Connect) {
        return {}; // Connect: recorded by connect() itself
    }
    REVET_ASSIGN_OR_RETURN(const std::string claimed, m_resolver.claimedPath(target, call.path));
    switch (call.operation) {
    case Operation::Open:
        writingOpen(target, call, claimed);
        return {};
    case Operation::MakeDirectory:
    case Operation::MakeNode:
    case Operation::MakeSymlink:
    case Operation::BindLocalSocket:
        created(target, call, actionOf(call), claimed, call.text);
        return {};
    case Operation::Remove:
    case Operation::RemoveDirectory:
        removal(target, call, claimed);
        return {};
    case Operation::MakeLink:
    case Operation::Rename:
        return twoNames(target, call, claimed);
    case Operation::Truncate:
    case Operation::ChangeMode:
    case Operation::ChangeOwner:
    case Operation::ChangeTimes:
    case Operation::SetAttribute:
    case Operation::RemoveAttribute:
    case Operation::CheckAccess:
    case Operation::Connect:
        break;
    }
    Fact fact;
    fact.detail = call.operation == Operation::ChangeMode ? static_cast<std::int64_t>(call.mode) : 0;
    if (isUnreachable(target, call.path, claimed)) {
        fact.kind = actionOf(call);
        fact.target = "something that was removed";
        fact.verdict = Verdict::Denied;
        fact.errnoValue = EROFS;
        fact.rule = "read-only view";
        m_facts.record(target.tid(), std::move(fact));
        return {};
    }
    changed(target, actionOf(call), m_resolver.look(claimed, lastOf(call)), std::move(fact));
    return {};
}

void Forecast::foreignMutation(Target& target, const Call& call)
{
    Fact fact;
    fact.kind = actionOf(call);
    fact.verdict = Verdict::Failed;
    fact.target = call.path.path;
    fact.other = call.second.path;
    fact.rule = "a root or mount namespace of its own";
    fact.errnoValue = EROFS;
    m_facts.record(target.tid(), std::move(fact));
}

Result<void> Forecast::exec(Target& target, const PathArgument& program)
{
    REVET_ASSIGN_OR_RETURN(const std::string claimed, m_resolver.claimedPath(target, program));
    const Sighting& sighting = m_resolver.lookForReading(claimed);
    // A memory file, or one that was removed, runs by its descriptor.
    const bool isNameless = claimed.ends_with(" (deleted)") && claimed != program.path;
    if (sighting.state != State::Exists && !isNameless) {
        withheld(target, ActionKind::Exec, sighting);
        return exhaustion();
    }
    constexpr mode_t kAnyExecute = S_IXUSR | S_IXGRP | S_IXOTH;
    if (sighting.mode != 0 && (!S_ISREG(sighting.mode) || (sighting.mode & kAnyExecute) == 0)) {
        return {};
    }
    Fact fact;
    fact.kind = ActionKind::Exec;
    fact.target = sighting.path;
    m_facts.record(target.tid(), std::move(fact));
    m_facts.aboutToExec(target.tid());
    return {};
}

Result<void> Forecast::directoryChange(Target& target, const PathArgument& directory)
{
    REVET_ASSIGN_OR_RETURN(const std::string claimed, m_resolver.claimedPath(target, directory));
    withheld(target, ActionKind::Read, m_resolver.lookForReading(claimed));
    return exhaustion();
}

Result<std::optional<int>> Forecast::localConnect(Target& target, const PathArgument& socket)
{
    REVET_ASSIGN_OR_RETURN(const std::string claimed, m_resolver.claimedPath(target, socket));
    const Sighting sighting = m_resolver.look(claimed, LastComponent::Follow).sighting;
    if (sighting.state != State::Exists) {
        withheld(target, ActionKind::Connect, sighting);
        REVET_RETURN_IF_ERROR(exhaustion());
        return std::optional<int>(sighting.errnoValue != 0 ? sighting.errnoValue : ENOENT);
    }
    return std::optional<int>();
}

Result<void> Forecast::exhaustion()
{
    const int errnoValue = std::exchange(m_exhausted, 0);
    return errnoValue == 0 ? Result<void>() : fail(Error::fromErrno("look at a path of the box", errnoValue));
}

void Forecast::withheld(Target& target, ActionKind kind, const Sighting& sighting)
{
    if (sighting.errnoValue == EMFILE || sighting.errnoValue == ENFILE || sighting.errnoValue == ENOMEM) {
        m_exhausted = sighting.errnoValue;
    }
    if (sighting.state != State::Withheld) {
        return;
    }
    Fact fact;
    fact.kind = kind;
    fact.verdict = Verdict::Withheld;
    fact.target = sighting.path;
    fact.errnoValue = sighting.errnoValue;
    m_facts.record(target.tid(), std::move(fact));
}

/// Records a change of an object, or of an entry of the directory `look`; fact.target is filled where empty.
void Forecast::changed(Target& target, ActionKind kind, const Resolver::Look& look, Fact fact)
{
    const Sighting& sighting = look.sighting;
    if (sighting.state != State::Exists) {
        withheld(target, kind, sighting);
        return;
    }
    fact.kind = kind;
    if (fact.target.empty()) {
        fact.target = sighting.path;
    }
    const Root* const root = m_resolver.rootOf(sighting.path);
    if (isSpecial(sighting.mode)) {
        // Devices, pipes and procfs keep nothing: the effect goes no further than the process.
    } else if (root != nullptr && root->kind == Root::Kind::Brokered) {
        // What the broker performs it records itself: this one meets the read-only view.
        fact.verdict = Verdict::Denied;
        fact.errnoValue = EROFS;
        fact.rule = "read-only view";
    } else if (::faccessat(look.object.get(), "", W_OK, AT_EMPTY_PATH | AT_EACCESS) == 0) {
        fact.verdict = Verdict::Contained;
        fact.reach = Reach::Copy;
    } else {
        // A read-only mount is the box's wall; permissions would have said the same outside.
        fact.errnoValue = errno;
        fact.verdict = errno == EROFS ? Verdict::Denied : Verdict::Failed;
    }
    m_facts.record(target.tid(), std::move(fact));
}

void Forecast::created(Target& target, const Call& call, ActionKind kind, const std::string& claimed,
                       std::string other)
{
    if (m_resolver.look(claimed, LastComponent::Keep).sighting.state == State::Exists) {
        return; // EEXIST, and nothing has changed
    }
    const auto [parent, name] = split(claimed);
    const Resolver::Look directory = m_resolver.look(parent, LastComponent::Follow);
    Fact fact;
    fact.target = directory.sighting.path + (directory.sighting.path.ends_with('/') ? "" : "/") + name;
    fact.other = std::move(other);
    fact.detail = static_cast<std::int64_t>(call.mode);
    changed(target, kind, directory, std::move(fact));
}

void Forecast::writingOpen(Target& target, const Call& call, const std::string& claimed)
{
    const Resolver::Look look = m_resolver.look(claimed, lastOf(call));
    const bool isCreating = (call.flags & O_CREAT) != 0;
    if (look.sighting.state != State::Exists) {
        if (isCreating && look.sighting.errnoValue == ENOENT) {
            created(target, call, ActionKind::Create, claimed, {});
        } else {
            withheld(target, ActionKind::Write, look.sighting);
        }
        return;
    }
    const bool isUnnamed = (call.flags & kTemporaryFile) != 0;
    const bool isExclusive = isCreating && (call.flags & O_EXCL) != 0;
    const bool isReading = (call.flags & O_ACCMODE) == O_RDONLY && (call.flags & O_TRUNC) == 0;
    if (isExclusive || S_ISLNK(look.sighting.mode) || (S_ISDIR(look.sighting.mode) && !isUnnamed)) {
        return; // EEXIST, ELOOP, EISDIR
    }
    Fact fact;
    fact.detail = static_cast<std::int64_t>(call.flags);
    if (isReading) {
        fact.target = look.sighting.path;
        m_facts.record(target.tid(), std::move(fact));
        return;
    }
    changed(target, isUnnamed ? ActionKind::Create : ActionKind::Write, look, std::move(fact));
}

void Forecast::removal(Target& target, const Call& call, const std::string& claimed)
{
    const Resolver::Look look = m_resolver.look(claimed, LastComponent::Keep);
    const bool wantsDirectory = call.operation == Operation::RemoveDirectory;
    if (look.sighting.state == State::Exists
        && (S_ISDIR(look.sighting.mode) != wantsDirectory
            || (wantsDirectory && isFilledDirectory(look.object.get())))) {
        return; // EISDIR, ENOTDIR, ENOTEMPTY
    }
    if (look.sighting.state != State::Exists) {
        withheld(target, ActionKind::Delete, look.sighting);
        return;
    }
    Fact fact;
    fact.target = look.sighting.path;
    changed(target, ActionKind::Delete, m_resolver.look(split(claimed).first, LastComponent::Follow),
            std::move(fact));
}

Result<void> Forecast::twoNames(Target& target, const Call& call, const std::string& claimed)
{
    REVET_ASSIGN_OR_RETURN(const std::string second, m_resolver.claimedPath(target, call.second));
    const bool follows = call.operation == Operation::MakeLink && (call.flags & AT_SYMLINK_FOLLOW) != 0;
    const Resolver::Look from
        = m_resolver.look(claimed, follows ? LastComponent::Follow : LastComponent::Keep);
    if (from.sighting.state != State::Exists && (follows || call.path.isDescriptor)
        && claimed.ends_with(" (deleted)")) {
        created(target, call, ActionKind::Create, second, {}); // a file that gets its first name
        return {};
    }
    if (from.sighting.state != State::Exists) {
        withheld(target, actionOf(call), from.sighting);
        return {};
    }
    const bool mustBeNew = call.operation == Operation::MakeLink || (call.flags & RENAME_NOREPLACE) != 0;
    if (mustBeNew && m_resolver.look(second, LastComponent::Keep).sighting.state == State::Exists) {
        return {};
    }
    const auto [parent, name] = split(second);
    const Resolver::Look directory = m_resolver.look(parent, LastComponent::Follow);
    Fact fact;
    fact.target = from.sighting.path;
    fact.other = directory.sighting.path + (directory.sighting.path.ends_with('/') ? "" : "/") + name;
    fact.detail = static_cast<std::int64_t>(call.flags);
    changed(target, actionOf(call), directory, std::move(fact));
    return {};
}

} // namespace revet::supervisor
