// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/pre_image_store.h"

#include "engine/workspace/left_behind.h"

#include <cerrno>
#include <climits>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace revet::workspace {

namespace {

using Kind = PreImageRecord::Kind;

const std::string kItself; // as a name: the directory itself

std::string parentOf(const std::string& path)
{
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

/// What is known of a file from the record that is written about it.
KnownFiles::Known knownBy(const PreImageRecord& record, std::int64_t birth)
{
    KnownFiles::Known known;
    known.birth = birth;
    known.isRecorded = true;
    known.content = record.content;
    known.object = record.object;
    known.entry = record.entry;
    if (record.entry.links > 1) {
        known.attributes = record.attributes;
        known.names.insert(record.path);
    }
    return known;
}

/// Of a file with several names each may be recorded, and each as the file was at first.
void toFirstState(PreImageRecord& record, const KnownFiles::Known* known)
{
    if (known != nullptr && known->isRecorded && (known->entry.links > 1 || record.entry.links > 1)) {
        record.entry = known->entry;
        if (known->entry.links > 1) {
            record.attributes = known->attributes;
        }
    }
}

/// Whether what is recorded of it has no attributes yet: they are large, and the first ones count.
bool needsAttributes(const KnownFiles::Known* known, const struct stat& status)
{
    return known == nullptr || !known->isRecorded || known->entry.links > 1
        || (status.st_nlink > 1 && !S_ISDIR(status.st_mode));
}

bool isSameFile(const struct stat& one, const struct stat& other)
{
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

} // namespace

PreImageStore::PreImageStore(Setup setup, ManifestWriter manifest, ObjectStore objects)
    : m_setup(std::move(setup))
    , m_manifest(std::move(manifest))
    , m_objects(std::move(objects))
{
}

Result<PreImageStore> PreImageStore::create(Setup setup)
{
    REVET_ASSIGN_OR_RETURN(auto objects, ObjectStore::create(setup.objects, setup.limits));
    REVET_ASSIGN_OR_RETURN(auto manifest, ManifestWriter::create(setup.manifest));
    PreImageRecord first;
    first.kind = Kind::Root;
    first.path = setup.root;
    first.other = setup.objects.string();
    const UniqueFd root(::open(setup.root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!root) {
        return failErrno("open " + setup.root);
    }
    REVET_ASSIGN_OR_RETURN(first.entry, lookAt(root));
    REVET_RETURN_IF_ERROR(manifest.append(first));
    return PreImageStore(std::move(setup), std::move(manifest), std::move(objects));
}

Result<PreImageRecord> PreImageStore::describe(Kind kind, const Spot& spot, const struct stat& status)
{
    PreImageRecord record;
    record.kind = kind;
    record.path = spot.path;
    record.entry = entryOf(status);
    if (needsAttributes(m_known.find(spot.directory, spot.name, status), status)) {
        record.attributes = readAttributes(spot.directory, spot.name);
    }
    if (S_ISLNK(status.st_mode)) {
        std::string target(PATH_MAX, '\0');
        const ssize_t length = ::readlinkat(spot.directory, spot.name.c_str(), target.data(), target.size());
        if (length < 0) {
            return failErrno("read a link to keep");
        }
        record.entry.target = target.substr(0, static_cast<std::size_t>(length));
    }
    return record;
}

Result<void> PreImageStore::appendAct(const PreImageRecord& record)
{
    REVET_RETURN_IF_ERROR(m_manifest.append(record));
    ++m_actRecords;
    return {};
}

void PreImageStore::settle(const std::string& path)
{
    constexpr std::size_t kMaximum = 200'000;
    constexpr std::size_t kMaximumBytes = std::size_t{32} << 20U;
    if (m_settled.size() >= kMaximum || m_settledBytes >= kMaximumBytes) {
        unsettle();
    }
    m_settledBytes += m_settled.insert(path).second ? path.size() : 0;
}

void PreImageStore::unsettle()
{
    m_settled.clear();
    m_settledBytes = 0;
}

bool PreImageStore::isBorn(const Spot& spot, const struct stat& status)
{
    const Known* known = m_known.find(spot.directory, spot.name, status);
    return known != nullptr && known->isBorn;
}

Result<void> PreImageStore::begin(const Spot& spot)
{
    m_actRecords = 0;
    m_linked.reset();
    m_told.reset();
    REVET_RETURN_IF_ERROR(findRoom());
    REVET_ASSIGN_OR_RETURN(m_isParentBorn, touch(spot));
    return {};
}

Result<void> PreImageStore::findRoom() const
{
    return m_manifest.size() < m_setup.limits.manifest
        ? Result<void>()
        : fail(ErrorCode::LimitExceeded, "note what is about to change",
               "the session's " + std::to_string(m_setup.limits.manifest >> 20U)
                   + " MiB for the list of changes are used up");
}

Result<bool> PreImageStore::touch(const Spot& spot)
{
    struct stat status = {};
    if (::fstatat(spot.directory, "", &status, AT_EMPTY_PATH) != 0) {
        return failErrno("look at a directory");
    }
    const Known* known = m_known.find(spot.directory, kItself, status);
    if (known != nullptr && (known->isBorn || known->isRecorded)) {
        return known->isBorn;
    }
    const std::string path = parentOf(spot.path);
    REVET_RETURN_IF_ERROR(changing({spot.directory, kItself, path}, status));
    return false;
}

Result<void> PreImageStore::changing(const Spot& spot, const struct stat& status)
{
    const Known* found = m_known.find(spot.directory, spot.name, status);
    if (found != nullptr && (found->isBorn || found->isRecorded)) {
        return {};
    }
    REVET_RETURN_IF_ERROR(findRoom());
    REVET_ASSIGN_OR_RETURN(const PreImageRecord record, describe(Kind::Saved, spot, status));
    REVET_RETURN_IF_ERROR(m_manifest.append(record));
    REVET_ASSIGN_OR_RETURN(const std::int64_t birth, birthOf(spot.directory, spot.name));
    m_known.learn(status, knownBy(record, birth));
    return {};
}

Result<void> PreImageStore::creating(const Spot& spot)
{
    return begin(spot);
}

Result<void> PreImageStore::created(const Spot& spot)
{
    struct stat status = {};
    if (::fstatat(spot.directory, spot.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
        return failErrno("look at a new entry");
    }
    Known known;
    REVET_ASSIGN_OR_RETURN(known.birth, birthOf(spot.directory, spot.name));
    known.isBorn = true;
    m_known.learn(status, std::move(known));
    if (m_isParentBorn || isSettled(spot.path)) {
        return {};
    }
    REVET_ASSIGN_OR_RETURN(const PreImageRecord record, describe(Kind::Born, spot, status));
    REVET_RETURN_IF_ERROR(m_manifest.append(record));
    settle(spot.path);
    return {};
}

Result<void> PreImageStore::linked(const Spot& spot, const std::string& of)
{
    struct stat status = {};
    if (::fstatat(spot.directory, spot.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
        return failErrno("look at a new link");
    }
    const Known* known = m_known.find(spot.directory, spot.name, status);
    if (known != nullptr && known->isBorn) {
        return created(spot);
    }
    REVET_ASSIGN_OR_RETURN(PreImageRecord record, describe(Kind::Linked, spot, status));
    record.other = of;
    REVET_RETURN_IF_ERROR(m_manifest.append(record));
    settle(spot.path);
    return {};
}

Result<void> PreImageStore::keepContent(PreImageRecord& record, const Spot& spot, const struct stat& status)
{
    if (const Known* known = m_known.find(spot.directory, spot.name, status);
        known != nullptr && known->content != Content::None) {
        record.content = known->content;
        record.object = known->object;
        return {};
    }
    if (!S_ISREG(status.st_mode)) {
        return {};
    }
    if (m_setup.isBuildOutput(spot.path)) {
        record.content = Content::Lost;
        record.note = "build output is not copied";
        return {};
    }
    const std::uint64_t object = m_objects.reserve();
    const auto copied = m_objects.copy(spot, status, object);
    if (copied) {
        record.content = Content::Copied;
        record.object = object;
        return {};
    }
    if (copied.error().code != ErrorCode::LimitExceeded) {
        return fail(copied.error());
    }
    record.content = Content::Lost;
    record.note = copied.error().context;
    return {};
}

Result<Kept> PreImageStore::writing(const Spot& spot, const struct stat& status)
{
    const Known* found = m_known.find(spot.directory, spot.name, status);
    if (found != nullptr && found->content == Content::Kept) {
        // One of its names is gone, and with that the file itself went into the store.
        REVET_RETURN_IF_ERROR(m_objects.separate(spot, status, found->object));
        Known separated = *found;
        separated.content = Content::Copied;
        m_known.learn(status, std::move(separated));
        found = m_known.find(spot.directory, spot.name, status);
    }
    const bool isAnotherName
        = found != nullptr && found->entry.links > 1 && !found->names.contains(spot.path);
    if (found != nullptr && (found->isBorn || (found->content != Content::None && !isAnotherName))) {
        Kept kept;
        kept.existedBefore = !found->isBorn;
        return kept;
    }
    REVET_RETURN_IF_ERROR(findRoom());
    REVET_ASSIGN_OR_RETURN(PreImageRecord record, describe(Kind::Saved, spot, status));
    toFirstState(record, found);
    REVET_RETURN_IF_ERROR(keepContent(record, spot, status));
    REVET_RETURN_IF_ERROR(m_manifest.append(record));
    REVET_ASSIGN_OR_RETURN(const std::int64_t birth, birthOf(spot.directory, spot.name));
    Known known = knownBy(record, birth);
    if (isAnotherName) {
        known.names.insert(found->names.begin(), found->names.end());
    }
    m_known.learn(status, std::move(known));
    return Kept{false, 0, true, record.note};
}

bool PreImageStore::canKeepItself(const Spot& spot, const struct stat& status) const
{
    return m_setup.canTake && !(S_ISREG(status.st_mode) && ObjectStore::isOpenForWriting(spot));
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
    if (status.st_nlink > 1) {
        m_known.learn(status, knownBy(record, birth));
    } else {
        m_known.forget(status);
    }
    settle(spot.path);
    return kept;
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
    REVET_ASSIGN_OR_RETURN(PreImageRecord record, describe(Kind::Removed, spot, status));
    toFirstState(record, known);
    if (!hasContent && canKeepItself(spot, status)) {
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
        m_known.learn(status, knownBy(record, birth));
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
    REVET_ASSIGN_OR_RETURN(PreImageRecord record, describe(Kind::Removed, spot, status));
    toFirstState(record, known);
    const bool hasContent = known != nullptr && known->content != Content::None;
    if (!S_ISDIR(status.st_mode) && !hasContent && canKeepItself(spot, status)) {
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
        m_known.learn(status, knownBy(record, birth));
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
        toFirstState(record, known);
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
        m_known.learn(status, knownBy(record, birth));
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
    toFirstState(record, m_known.find(one.directory, one.name, status));
    record.other = other.path;
    REVET_RETURN_IF_ERROR(appendAct(record));
    REVET_RETURN_IF_ERROR(tell(record, one, status));
    unsettle();
    return {};
}

Result<void> PreImageStore::failed()
{
    if (m_linked) {
        m_objects.drop(m_linked->object);
        m_known.forget(m_linked->status);
        if (m_linked->before) {
            m_known.learn(m_linked->status, std::move(*m_linked->before));
        }
        m_linked.reset();
    }
    if (m_told) {
        m_known.forget(*m_told);
        m_told.reset();
    }
    unsettle();
    if (m_actRecords == 0) {
        return {};
    }
    PreImageRecord taken;
    taken.kind = Kind::Void;
    taken.object = std::exchange(m_actRecords, 0);
    return m_manifest.append(taken);
}

Result<void> PreImageStore::seal()
{
    REVET_ASSIGN_OR_RETURN(const auto records, m_manifest.readBack());
    REVET_ASSIGN_OR_RETURN(const std::string left,
                           describeLeftBehind(m_setup.root, records, m_setup.isBuildOutput));
    m_isWorthSyncing = records.size() > 1; // the first one only names the root
    return m_manifest.append(left);
}

Result<void> PreImageStore::sync()
{
    return m_isWorthSyncing ? m_manifest.flush() : Result<void>();
}

} // namespace revet::workspace
