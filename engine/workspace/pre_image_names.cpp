// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// The acts that give and take names: entries are made, removed, replaced and renamed.

#include "engine/workspace/pre_image_store.h"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>

namespace revet::workspace {

namespace {

using Kind = PreImageRecord::Kind;

bool isSameFile(const struct stat& one, const struct stat& other)
{
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

} // namespace

Result<void> PreImageStore::announce(Kind kind, const Spot& spot, std::string of)
{
    PreImageRecord record;
    record.kind = kind;
    record.path = spot.path;
    record.other = std::move(of);
    // What is there already was not made by an act that then fails, and must not be told as new.
    struct stat status = {};
    if (::fstatat(spot.directory, spot.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT) {
        return appendAct(record);
    }
    m_unannounced = std::move(record);
    return {};
}

Result<void> PreImageStore::confirm(const Spot& spot)
{
    if (const auto late = std::exchange(m_unannounced, std::nullopt)) {
        REVET_RETURN_IF_ERROR(m_manifest.append(*late));
    }
    settle(spot.path);
    return {};
}

Result<void> PreImageStore::creating(const Spot& spot)
{
    REVET_RETURN_IF_ERROR(begin(spot));
    return m_isParentBorn || isSettled(spot.path) ? Result<void>() : announce(Kind::Born, spot);
}

Result<void> PreImageStore::created(const Spot& spot)
{
    struct statx info = {};
    if (::statx(spot.directory, spot.name.c_str(), AT_SYMLINK_NOFOLLOW, STATX_INO | STATX_BTIME, &info)
        != 0) {
        return failErrno("look at a new entry");
    }
    Known known;
    known.birth = birthIn(info);
    known.isBorn = true;
    m_known.learn(identityIn(info), std::move(known));
    return m_isParentBorn ? Result<void>() : confirm(spot);
}

Result<void> PreImageStore::linking(const Spot& spot, const std::string& of, int file,
                                    const struct stat& status)
{
    const Known* known = m_known.find(file, {}, status);
    if (known != nullptr && known->isBorn) {
        return creating(spot);
    }
    REVET_RETURN_IF_ERROR(begin(spot));
    return announce(Kind::Linked, spot, of);
}

Result<void> PreImageStore::linked(const Spot& spot)
{
    return confirm(spot);
}

Result<Kept> PreImageStore::take(PreImageRecord record, const Spot& spot, const struct stat& status)
{
    record.content = Content::Kept;
    record.object = m_objects.reserve();
    std::int64_t birth = 0;
    if (status.st_nlink > 1) {
        REVET_ASSIGN_OR_RETURN(birth, birthOf(spot.directory, spot.name));
    }
    REVET_RETURN_IF_ERROR(appendAct(record));
    Kept kept;
    kept.existedBefore = true;
    if (const auto taken = m_objects.take(spot, record.object); !taken) {
        kept.failure = taken.error().errnoValue;
        REVET_RETURN_IF_ERROR(failed());
        return kept;
    }
    kept.isTakenAway = true;
    constexpr std::size_t kMostTaken = 10'000; // of many nobody asks for one
    if (S_ISREG(status.st_mode) && m_taken.size() < kMostTaken) {
        m_taken.insert_or_assign({status.st_dev, status.st_ino}, spot.path);
    }
    if (status.st_nlink > 1) {
        m_known.learn(status, KnownFiles::knownBy(record, birth));
    } else {
        m_known.forget(status);
    }
    settle(spot.path);
    return kept;
}

const std::string* PreImageStore::takenFrom(const struct stat& status) const
{
    const auto taken = m_taken.find({status.st_dev, status.st_ino});
    return taken == m_taken.end() ? nullptr : &taken->second;
}

Result<Kept> PreImageStore::removing(const Spot& spot, const struct stat& status)
{
    REVET_RETURN_IF_ERROR(begin(spot));
    const Known* known = m_known.find(spot.directory, spot.name, status);
    const bool isLastName = status.st_nlink <= 1;
    if (known != nullptr && known->isBorn) {
        if (isLastName) {
            m_known.forget(status);
        }
        return Kept{};
    }
    // A further name that was made here, of a file that has others.
    if (!isLastName && isSettled(spot.path)) {
        return Kept{};
    }
    const bool hasContent = known != nullptr && known->content != Content::None;
    const bool canTake = m_setup.canTake && !hasContent;
    const UniqueFd file = canTake && S_ISREG(status.st_mode) ? ObjectStore::open(spot) : UniqueFd();
    REVET_ASSIGN_OR_RETURN(PreImageRecord record, describe(Kind::Removed, spot, status, file));
    KnownFiles::toFirstState(record, known);
    if (canTake && !ObjectStore::isOpenForWriting(file)) {
        REVET_ASSIGN_OR_RETURN(Kept kept, take(record, spot, status));
        if (kept.failure != EXDEV) { // that is another mount within the tree
            return kept;
        }
    }
    REVET_RETURN_IF_ERROR(keepContent(record, spot, status));
    if (record.content == Content::None && !S_ISREG(status.st_mode) && !S_ISLNK(status.st_mode)
        && !S_ISFIFO(status.st_mode)) {
        record.content = Content::Lost;
        record.note = "a socket or device is not kept";
    }
    REVET_RETURN_IF_ERROR(appendAct(record));
    if (isLastName) {
        m_known.forget(status);
    } else {
        REVET_ASSIGN_OR_RETURN(const std::int64_t birth, birthOf(spot.directory, spot.name));
        m_known.learn(status, KnownFiles::knownBy(record, birth));
    }
    settle(spot.path);
    return Kept{false, 0, true, hasContent ? std::string() : record.note};
}

Result<Kept> PreImageStore::removingDirectory(const Spot& spot, const struct stat& status)
{
    REVET_RETURN_IF_ERROR(begin(spot));
    const Known* known = m_known.find(spot.directory, spot.name, status);
    if (known != nullptr && known->isBorn) {
        return Kept{};
    }
    REVET_ASSIGN_OR_RETURN(const PreImageRecord record, describe(Kind::Removed, spot, status));
    REVET_RETURN_IF_ERROR(appendAct(record));
    settle(spot.path);
    return Kept{false, 0, true, {}};
}

Result<Kept> PreImageStore::replacing(const Spot& spot, const struct stat& status)
{
    REVET_RETURN_IF_ERROR(begin(spot));
    return keepReplaced(spot, status);
}

Result<Kept> PreImageStore::keepReplaced(const Spot& spot, const struct stat& status)
{
    const Known* known = m_known.find(spot.directory, spot.name, status);
    if (known != nullptr && known->isBorn) {
        if (status.st_nlink <= 1 || S_ISDIR(status.st_mode)) {
            m_known.forget(status);
        }
        return Kept{};
    }
    if (isSettled(spot.path) && status.st_nlink > 1 && !S_ISDIR(status.st_mode)) {
        return Kept{};
    }
    const bool hasContent = known != nullptr && known->content != Content::None;
    const bool canLink = m_setup.canTake && !hasContent && !S_ISDIR(status.st_mode);
    const UniqueFd file = canLink && S_ISREG(status.st_mode) ? ObjectStore::open(spot) : UniqueFd();
    REVET_ASSIGN_OR_RETURN(PreImageRecord record, describe(Kind::Removed, spot, status, file));
    KnownFiles::toFirstState(record, known);
    if (canLink && !ObjectStore::isOpenForWriting(file)) {
        record.object = m_objects.reserve();
        // Refused for files of others (fs.protected_hardlinks), on another mount, or at the most links.
        if (m_objects.link(spot, record.object)) {
            record.content = Content::Kept;
            m_linked = Linked{record.object, status, known == nullptr ? std::nullopt : std::optional(*known)};
        } else {
            record.object = 0;
        }
    }
    if (record.content == Content::None) {
        REVET_RETURN_IF_ERROR(keepContent(record, spot, status));
    }
    REVET_RETURN_IF_ERROR(appendAct(record));
    if (record.content != Content::None && status.st_nlink > 1) {
        REVET_ASSIGN_OR_RETURN(const std::int64_t birth, birthOf(spot.directory, spot.name));
        m_known.learn(status, KnownFiles::knownBy(record, birth));
    }
    settle(spot.path);
    return Kept{false, 0, true, hasContent ? std::string() : record.note};
}

Result<Kept> PreImageStore::renaming(const Spot& from, const struct stat& status, const Spot& to,
                                     const struct stat* replaced)
{
    REVET_RETURN_IF_ERROR(begin(from));
    if (replaced != nullptr && isSameFile(status, *replaced)) {
        return Kept{}; // rename(2): two names of one file, nothing happens
    }
    const bool isFromBorn = m_isParentBorn;
    REVET_ASSIGN_OR_RETURN(const bool isToBorn, touch(to));
    Kept kept;
    if (replaced != nullptr) {
        REVET_ASSIGN_OR_RETURN(kept, keepReplaced(to, *replaced));
    }
    const Known* known = m_known.find(from.directory, from.name, status);
    const bool isDirectory = S_ISDIR(status.st_mode);
    const bool isBornFile = known != nullptr && known->isBorn && !isDirectory;
    const bool isSilent
        = isBornFile && (isFromBorn || isSettled(from.path)) && (isToBorn || isSettled(to.path));
    if (!isSilent) {
        REVET_ASSIGN_OR_RETURN(PreImageRecord record, describe(Kind::Moved, from, status));
        KnownFiles::toFirstState(record, known);
        record.other = to.path;
        REVET_RETURN_IF_ERROR(appendAct(record));
        REVET_RETURN_IF_ERROR(tell(record, from, status));
    }
    if (isDirectory) {
        unsettle(); // what is below has other paths now
    }
    settle(from.path);
    if (isBornFile) {
        settle(to.path);
    } else {
        m_settled.erase(to.path);
    }
    return kept;
}

/// What moves is recorded by that, once; unless the act fails.
Result<void> PreImageStore::tell(const PreImageRecord& record, const Spot& spot, const struct stat& status)
{
    const Known* known = m_known.find(spot.directory, spot.name, status);
    if (known == nullptr) {
        REVET_ASSIGN_OR_RETURN(const std::int64_t birth, birthOf(spot.directory, spot.name));
        m_known.learn(status, KnownFiles::knownBy(record, birth));
        m_told = status;
    }
    return {};
}

Result<void> PreImageStore::exchanging(const Spot& one, const struct stat& status, const Spot& other,
                                       const struct stat& otherStatus)
{
    REVET_RETURN_IF_ERROR(begin(one));
    const bool isOneBorn = m_isParentBorn;
    REVET_ASSIGN_OR_RETURN(const bool isOtherBorn, touch(other));
    const auto isBornFile = [this](const Spot& spot, const struct stat& of) {
        const Known* known = m_known.find(spot.directory, spot.name, of);
        return known != nullptr && known->isBorn && !S_ISDIR(of.st_mode);
    };
    if (isBornFile(one, status) && isBornFile(other, otherStatus) && (isOneBorn || isSettled(one.path))
        && (isOtherBorn || isSettled(other.path))) {
        return {};
    }
    REVET_ASSIGN_OR_RETURN(PreImageRecord record, describe(Kind::Exchanged, one, status));
    KnownFiles::toFirstState(record, m_known.find(one.directory, one.name, status));
    record.other = other.path;
    REVET_RETURN_IF_ERROR(appendAct(record));
    REVET_RETURN_IF_ERROR(tell(record, one, status));
    unsettle();
    return {};
}

} // namespace revet::workspace
