// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/deferred_files.h"

#include "engine/supervisor/fresh_file.h"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace revet::supervisor {

namespace {

/// Whether nobody can write to the file any more, by a descriptor or by a mapping: a read lease is granted
/// only then (fcntl(2)). Our own descriptor comes from memfd_create() and does not count.
bool isClosed(int file)
{
    if (::fcntl(file, F_SETLEASE, F_RDLCK) != 0) {
        return false;
    }
    static_cast<void>(::fcntl(file, F_SETLEASE, F_UNLCK));
    return true;
}

} // namespace

Result<UniqueFd> DeferredFiles::open(Place place, std::uint64_t flags, mode_t mode, int tid)
{
    if (m_pending.size() >= kMaximumPending) {
        return fail(Error::fromErrno("keep another unfinished file", EACCES));
    }
    Pending pending;
    struct stat status = {};
    const int directory = place.directory.get();
    if ((flags & O_CREAT) != 0) {
        if (const auto refusal = m_preImages.creating(place)) {
            return fail(Error::fromErrno(refusal->rule, refusal->errnoValue));
        }
        const UniqueFd placeholder(
            ::openat(directory, place.name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode & 0777U));
        const int error = errno;
        pending.isPlaceholder = placeholder.isOpen();
        pending.isPlaceholder ? m_preImages.created(place) : m_preImages.failed();
        if (!pending.isPlaceholder && (error != EEXIST || (flags & O_EXCL) != 0)) {
            return fail(Error::fromErrno("create a file", error));
        }
    }
    if (::fstatat(directory, place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
        return failErrno("look at a file");
    }
    if (!S_ISREG(status.st_mode)) {
        return fail(Error::fromErrno("open a file", S_ISDIR(status.st_mode) ? EISDIR : EACCES));
    }
    pending.inode = keyOf(status);
    pending.file = UniqueFd(::memfd_create(place.name.c_str(), MFD_CLOEXEC));
    if (!pending.file) {
        return failErrno("create a file without a name");
    }
    if (!pending.isPlaceholder) {
        REVET_ASSIGN_OR_RETURN(pending.initial, readEntry(directory, place.name, kMaximumJudgedFile));
        if ((flags & O_TRUNC) == 0
            && ::write(pending.file.get(), pending.initial.data(), pending.initial.size())
                != static_cast<ssize_t>(pending.initial.size())) {
            return failErrno("copy a file");
        }
    }
    // A second open file: the lease counts its writers, and its offset starts at 0.
    const int reopened = static_cast<int>(flags & (O_ACCMODE | O_APPEND)) | O_CLOEXEC;
    UniqueFd handedOut(::open(throughProc(pending.file.get()).c_str(), reopened));
    if (!handedOut) {
        return failErrno("reopen a file without a name");
    }
    pending.place = std::move(place);
    pending.tid = tid;
    m_pending.push_back(std::move(pending));
    return handedOut;
}

void DeferredFiles::settle()
{
    for (std::size_t i = 0; i < m_pending.size();) {
        if (!isClosed(m_pending[i].file.get())) {
            ++i;
            continue;
        }
        install(m_pending[i]);
        m_pending.erase(m_pending.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

void DeferredFiles::install(Pending& pending)
{
    struct stat status = {};
    const int directory = pending.place.directory.get();
    if (::fstatat(directory, pending.place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0
        || keyOf(status) != pending.inode) {
        return; // Removed or replaced meanwhile: the later deed counts.
    }
    auto where = pathOfDescriptor(directory);
    if (!where) {
        return;
    }
    pending.place.directoryPath = std::move(*where);
    const std::string path = pending.place.path();
    const auto content = readWhole(pending.file.get(), kMaximumJudgedFile);
    if (!content) {
        refuse(pending, path, Refusal{gitRule("unreadable", pending.place.name)});
        return;
    }
    if (*content == pending.initial) {
        return;
    }
    if (const auto refusal = m_git.judgeContent(m_git.find(path), path, pending.initial, *content)) {
        refuse(pending, path, *refusal);
        return;
    }
    if (const auto refusal = m_preImages.replacing(pending.place, status).refusal) {
        refuse(pending, path, *refusal);
        return;
    }
    if (installFresh(m_git.passingRecord(), directory, pending.place.name, *content, status.st_mode)) {
        m_preImages.created(pending.place);
    } else {
        m_preImages.failed();
        refuse(pending, path, Refusal{gitRule("cannot be put in place", pending.place.name), EIO});
    }
}

void DeferredFiles::refuse(const Pending& pending, const std::string& path, const Refusal& refusal)
{
    const Deed deed{pending.tid, ActionKind::Write, pending.place.root, path, {}, 0};
    // The write itself has long been answered; this is for the journal.
    static_cast<void>(m_facts.denied(deed, refusal));
    if (pending.isPlaceholder) {
        ::unlinkat(pending.place.directory.get(), pending.place.name.c_str(), 0);
    }
}

} // namespace revet::supervisor
