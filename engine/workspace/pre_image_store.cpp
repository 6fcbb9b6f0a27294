// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/pre_image_store.h"

#include "engine/domain/size_text.h"
#include "engine/workspace/left_behind.h"
#include "engine/workspace/tree_path.h"

#include <cerrno>
#include <climits>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace revet::workspace {

namespace {

using Kind = PreImageRecord::Kind;

const std::string kItself; // as a name: the directory itself

/// Whether what is recorded of it has no attributes yet: they are large, and the first ones count.
bool needsAttributes(const KnownFiles::Known* known, const struct stat& status)
{
    return known == nullptr || !known->isRecorded || known->entry.links > 1
        || (status.st_nlink > 1 && !S_ISDIR(status.st_mode));
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

Result<PreImageRecord> PreImageStore::describe(Kind kind, const Spot& spot, const struct stat& status,
                                               const UniqueFd& file)
{
    PreImageRecord record;
    record.kind = kind;
    record.path = spot.path;
    record.entry = entryOf(status);
    if (needsAttributes(m_known.find(spot.directory, spot.name, status), status)) {
        record.attributes = file ? readAttributes(file.get()) : readAttributes(spot.directory, spot.name);
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
    m_unannounced.reset();
    REVET_RETURN_IF_ERROR(findRoom());
    REVET_ASSIGN_OR_RETURN(m_isParentBorn, touch(spot));
    return {};
}

Result<void> PreImageStore::findRoom() const
{
    return m_manifest.size() < m_setup.limits.manifest
        ? Result<void>()
        : fail(ErrorCode::LimitExceeded, "note what is about to change",
               "the session's " + sizeText(m_setup.limits.manifest) + " for the list of changes are used up");
}

Result<bool> PreImageStore::touch(const Spot& spot)
{
    // One call, where most often nothing else is to be known.
    struct statx info = {};
    if (::statx(spot.directory, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &info) != 0) {
        return failErrno("look at a directory");
    }
    struct stat status = identityIn(info);
    const Known* known = m_known.find(status, birthIn(info));
    if (known != nullptr && (known->isBorn || known->isRecorded)) {
        return known->isBorn;
    }
    if (::fstatat(spot.directory, "", &status, AT_EMPTY_PATH) != 0) {
        return failErrno("look at a directory");
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
    m_known.learn(status, KnownFiles::knownBy(record, birth));
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
    KnownFiles::toFirstState(record, found);
    REVET_RETURN_IF_ERROR(keepContent(record, spot, status));
    REVET_RETURN_IF_ERROR(m_manifest.append(record));
    REVET_ASSIGN_OR_RETURN(const std::int64_t birth, birthOf(spot.directory, spot.name));
    Known known = KnownFiles::knownBy(record, birth);
    if (isAnotherName) {
        known.names.insert(found->names.begin(), found->names.end());
    }
    m_known.learn(status, std::move(known));
    return Kept{false, 0, true, record.note};
}

Result<void> PreImageStore::failed()
{
    if (m_actRecords == 0) {
        return {};
    }
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
    PreImageRecord taken;
    taken.kind = Kind::Void;
    taken.object = std::exchange(m_actRecords, 0);
    return m_manifest.append(taken);
}

Result<void> PreImageStore::seal()
{
    REVET_ASSIGN_OR_RETURN(const auto records, m_manifest.readBack());
    m_isWorthSyncing = records.size() > 1; // the first one only names the root
    REVET_ASSIGN_OR_RETURN(
        const std::string left,
        describeLeftBehind(m_setup.root, records, m_setup.isBuildOutput, Unreadable::Fails));
    return m_manifest.append(left);
}

Result<void> PreImageStore::sync()
{
    return m_isWorthSyncing ? m_manifest.flush() : Result<void>();
}

} // namespace revet::workspace
