// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/rename_broker.h"

#include "engine/domain/display_escape.h"
#include "engine/supervisor/fresh_file.h"
#include "engine/supervisor/shown_change.h"

#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <optional>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef RENAME_WHITEOUT
#define RENAME_WHITEOUT (1U << 2U)
#endif

namespace revet::supervisor {

struct RenameBroker::Move
{
    const Place& from;
    const Place& to;
    unsigned flags = 0;
    struct stat oldStatus
    {
    };
    std::optional<struct stat> newStatus;
};

namespace {

std::string textOf(const Place& link)
{
    std::array<char, PATH_MAX> text{};
    const ssize_t length = ::readlinkat(link.directory.get(), link.name.c_str(), text.data(), text.size());
    return length < 0 ? std::string("/") : std::string(text.data(), static_cast<std::size_t>(length));
}

} // namespace

Answer RenameBroker::perform(const Call& call, Target& target) const
{
    constexpr unsigned kKnownFlags = RENAME_NOREPLACE | RENAME_EXCHANGE | RENAME_WHITEOUT;
    const auto oldClaim = m_context.resolver.claim(target, call.path);
    const auto newClaim = m_context.resolver.claim(target, call.second);
    if (!oldClaim || !newClaim || (call.flags & ~std::uint64_t{kKnownFlags}) != 0) {
        return Answer::proceed();
    }
    const auto from = m_context.resolver.place(*oldClaim);
    const auto to = m_context.resolver.place(*newClaim);
    // A parent that cannot be reached has the same error on the read-only view.
    if (!from || !to || (!isBrokered(from->root) && !isBrokered(to->root))) {
        return Answer::proceed();
    }
    Move move{*from, *to, static_cast<unsigned>(call.flags), {}, {}};
    Deed deed{target.tid(), ActionKind::Rename, isBrokered(from->root) ? from->root : to->root,
              from->path(), to->path(),         static_cast<std::int64_t>(call.flags)};
    if (from->root != to->root) {
        return m_context.facts.failed(deed, EXDEV);
    }
    if ((move.flags & RENAME_WHITEOUT) != 0) {
        return m_context.facts.denied(deed, {"whiteout", EPERM});
    }
    if (::fstatat(from->directory.get(), from->name.c_str(), &move.oldStatus, AT_SYMLINK_NOFOLLOW) != 0) {
        return m_context.facts.failed(deed, errno);
    }
    struct stat status = {};
    if (::fstatat(to->directory.get(), to->name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
        move.newStatus = status;
    }
    const GitFinding finding = m_context.guard.git().find(deed.other);
    if (finding.isJudgedByContent() && S_ISREG(move.oldStatus.st_mode)
        && (move.flags & RENAME_EXCHANGE) == 0) {
        return installJudged(move, finding, deed);
    }
    const bool exchanges = (move.flags & RENAME_EXCHANGE) != 0;
    if (S_ISREG(move.oldStatus.st_mode) && !exchanges && m_context.guard.isRunLater(deed.other)) {
        return installShown(move, deed);
    }
    if (exchanges && (m_context.guard.isRunLater(deed.target) || m_context.guard.isRunLater(deed.other))) {
        return m_context.facts.denied(deed, {"run-later: an exchange of names"});
    }
    if (auto refusal = judge(move)) {
        return m_context.facts.denied(deed, *refusal);
    }
    const std::optional<Precaution> kept = keep(move);
    if (kept && kept->refusal) {
        return m_context.facts.denied(deed, *kept->refusal);
    }
    if (::syscall(SYS_renameat2, from->directory.get(), from->nameAsWritten().c_str(), to->directory.get(),
                  to->nameAsWritten().c_str(), move.flags)
        != 0) {
        const int error = errno;
        if (kept) {
            m_context.preImages.failed();
        }
        return m_context.facts.failed(deed, error);
    }
    deed.rule = kept ? kept->note : std::string();
    const bool isSameFile = move.newStatus && keyOf(*move.newStatus) == keyOf(move.oldStatus);
    if (move.newStatus && (move.flags & RENAME_EXCHANGE) == 0 && !isSameFile) {
        m_context.links.removed(*move.newStatus);
    }
    return m_context.facts.succeeded(deed);
}

std::optional<Precaution> RenameBroker::keep(const Move& move) const
{
    const struct stat* const replaced = move.newStatus ? &*move.newStatus : nullptr;
    if ((move.flags & RENAME_EXCHANGE) != 0) {
        if (replaced == nullptr) {
            return std::nullopt;
        }
        return m_context.preImages.exchanging(move.from, move.oldStatus, move.to, *replaced);
    }
    if ((move.flags & RENAME_NOREPLACE) != 0 && replaced != nullptr) {
        return std::nullopt;
    }
    return m_context.preImages.renaming(move.from, move.oldStatus, move.to, replaced);
}

Judgement RenameBroker::judge(const Move& move) const
{
    if ((move.flags & RENAME_EXCHANGE) != 0 && move.newStatus) {
        if (auto refusal = judgeOneWay(move.to, *move.newStatus, move.from)) {
            return refusal;
        }
    }
    return judgeOneWay(move.from, move.oldStatus, move.to);
}

Judgement RenameBroker::judgeOneWay(const Place& from, const struct stat& status, const Place& to) const
{
    const EntryKind kind = kindOf(status.st_mode);
    if (kind == EntryKind::Directory) {
        return m_context.guard.movingDirectory(from, to);
    }
    if (auto refusal = m_context.guard.removing(from, kind)) {
        return refusal;
    }
    return m_context.guard.creating(to, kind, kind == EntryKind::Symlink ? textOf(from) : std::string());
}

std::variant<RenameBroker::Contents, Answer> RenameBroker::readBoth(const Move& move, const Deed& deed,
                                                                    const char* rule) const
{
    Contents contents;
    if (move.newStatus) {
        if ((move.flags & RENAME_NOREPLACE) != 0) {
            return m_context.facts.failed(deed, EEXIST);
        }
        auto present = readEntry(move.to.directory.get(), move.to.name, kMaximumJudgedFile);
        if (!present) {
            return m_context.facts.denied(deed, {rule + move.to.name});
        }
        contents.before = std::move(*present);
    }
    if (move.from.hasTrailingSlash || move.to.hasTrailingSlash) {
        return m_context.facts.failed(deed, ENOTDIR);
    }
    auto after = readEntry(move.from.directory.get(), move.from.name, kMaximumJudgedFile);
    if (!after) {
        return m_context.facts.denied(deed, {rule + move.from.name});
    }
    contents.after = std::move(*after);
    return contents;
}

Judgement RenameBroker::unlessShown(Judgement refusal, const std::string& path,
                                    const Contents& contents) const
{
    if (!refusal) {
        return refusal;
    }
    if (const auto shown = shownChange(contents.before, contents.after)) {
        refusal->crossing = Crossing{AskKind::RunLater, path, displayEscape(refusal->rule) + "; " + *shown};
        return m_context.question.isPermitted(*refusal->crossing) ? Judgement() : refusal;
    }
    return refusal;
}

Answer RenameBroker::installJudged(const Move& move, const GitFinding& finding, const Deed& deed) const
{
    if (auto refusal = m_context.guard.removing(move.from, EntryKind::File)) {
        return m_context.facts.denied(deed, *refusal);
    }
    if (auto refusal
        = m_context.guard.creating(move.to, EntryKind::File, {}, MutationGuard::ContentJudge::Caller)) {
        return m_context.facts.denied(deed, *refusal);
    }
    auto read = readBoth(move, deed, "git: unreadable: ");
    if (Answer* const answer = std::get_if<Answer>(&read)) {
        return std::move(*answer);
    }
    const Contents& contents = std::get<Contents>(read);
    Judgement refusal
        = m_context.guard.git().judgeContent(finding, deed.other, contents.before, contents.after);
    if (finding.entry == policy::GitEntry::Config) {
        refusal = unlessShown(std::move(refusal), deed.other, contents);
    }
    return refusal ? m_context.facts.denied(deed, *refusal) : install(move, contents.after, deed);
}

Answer RenameBroker::installShown(const Move& move, const Deed& deed) const
{
    if (auto refusal = m_context.guard.removing(move.from, EntryKind::File)) {
        return m_context.facts.denied(deed, *refusal);
    }
    auto read = readBoth(move, deed, "run-later: more than can be shown: ");
    if (Answer* const answer = std::get_if<Answer>(&read)) {
        return std::move(*answer);
    }
    const Contents& contents = std::get<Contents>(read);
    const auto shown = shownChange(contents.before, contents.after);
    Judgement refusal
        = m_context.guard.creating(move.to, EntryKind::File, {}, MutationGuard::ContentJudge::Nobody,
                                   shown.value_or("too much to be shown"));
    if (refusal && !shown) {
        refusal->crossing.reset();
    }
    return refusal ? m_context.facts.denied(deed, *refusal) : install(move, contents.after, deed);
}

Answer RenameBroker::install(const Move& move, const std::string& content, const Deed& deed) const
{
    const Judgement unkept = move.newStatus ? m_context.preImages.replacing(move.to, *move.newStatus).refusal
                                            : m_context.preImages.creating(move.to);
    if (unkept) {
        return m_context.facts.denied(deed, *unkept);
    }
    const auto installed = installFresh(m_context.resolver.passingRecord(), move.to.directory.get(),
                                        move.to.name, content, move.oldStatus.st_mode);
    if (!installed) {
        m_context.preImages.failed();
        return m_context.facts.failed(deed, installed.error().errnoValue);
    }
    m_context.preImages.created(move.to);
    const Precaution kept = m_context.preImages.removing(deed.tid, move.from, move.oldStatus);
    if (kept.refusal) { // half is done: no time for questions
        m_context.preImages.denied();
        return m_context.facts.denied(deed, {kept.refusal->rule, kept.refusal->errnoValue});
    }
    if (kept.failure != 0) {
        return m_context.facts.failed(deed, kept.failure);
    }
    if (!kept.isDone && ::unlinkat(move.from.directory.get(), move.from.name.c_str(), 0) != 0) {
        const int error = errno;
        m_context.preImages.failed();
        return m_context.facts.failed(deed, error);
    }
    m_context.links.removed(move.oldStatus);
    return m_context.facts.succeeded(deed);
}

} // namespace revet::supervisor
