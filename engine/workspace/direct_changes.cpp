// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/direct_changes.h"

#include "engine/workspace/file_content.h"
#include "engine/workspace/gone_path.h"
#include "engine/workspace/oddities.h"
#include "engine/workspace/tree_walk.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace revet::workspace {

namespace {

using Content = PreImageRecord::Content;

constexpr std::size_t kMaximumPaths = 2'000'000;

/// Nothing where something on the way is a link by now: what was there is not.
Result<Entry> lookAtPresent(int root, const std::string& path)
{
    auto entry = lookAt(root, path.empty() ? "." : path);
    if (!entry && entry.error().code == ErrorCode::Refused) {
        return Entry{};
    }
    return entry;
}

bool isDirectory(const Entry& entry)
{
    return entry.type == EntryType::Directory;
}

} // namespace

DirectChanges::DirectChanges(PreImages images, UniqueFd root)
    : m_images(std::move(images))
    , m_before(m_images.records)
    , m_root(std::move(root))
{
}

Result<std::unique_ptr<DirectChanges>> DirectChanges::open(const std::filesystem::path& directory)
{
    REVET_ASSIGN_OR_RETURN(PreImages images, readPreImages(directory));
    UniqueFd root(::open(images.root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!root) {
        return failErrno("open " + images.root.string());
    }
    REVET_ASSIGN_OR_RETURN(const Entry present, lookAt(root));
    if (present.device != images.rootBefore.device || present.inode != images.rootBefore.inode) {
        return fail(ErrorCode::Conflict, "review " + images.root.string(),
                    "another directory has taken its place");
    }
    return std::unique_ptr<DirectChanges>(new DirectChanges(std::move(images), std::move(root)));
}

Result<std::set<std::string>> DirectChanges::candidates() const
{
    std::set<std::string> paths;
    for (const auto& [path, record] : m_before.saved()) {
        paths.insert(path);
    }
    GonePath gone;
    for (const std::string& path : m_before.touched()) {
        paths.insert(path);
        if (gone.isAbove(path) || m_before.originalOf(path) == path) {
            continue;
        }
        bool isThere = false;
        // A new or moved directory stands for all that is below it, in both trees.
        const auto walked = walkTree(m_root.get(), path, kMaximumPaths,
                                     [&](const std::string& below, const Entry& /*entry*/) {
                                         isThere = true;
                                         paths.insert(below);
                                         if (auto original = m_before.originalOf(below)) {
                                             paths.insert(std::move(*original));
                                         }
                                         return !isTooDeep(below);
                                     });
        if (!walked && walked.error().code != ErrorCode::Refused) {
            return fail(walked.error());
        }
        if (!isThere) {
            gone.set(path);
        }
    }
    paths.erase(""); // the root itself stays what it is, and has a mode at most that differs
    return paths;
}

Result<Entry> DirectChanges::entryBefore(const std::string& path) const
{
    if (const auto found = m_before.saved().find(path); found != m_before.saved().end()) {
        return found->second.entry;
    }
    const auto present = m_before.presentOf(path);
    if (!present) {
        return Entry{};
    }
    REVET_ASSIGN_OR_RETURN(Entry entry, lookAtPresent(m_root.get(), *present));
    const PreImageRecord* const saved = m_before.savedOf(entry);
    return saved == nullptr ? entry : saved->entry;
}

Result<UniqueFd> DirectChanges::openOriginal(const std::string& path) const
{
    const auto saved = m_before.saved().find(path);
    if (saved != m_before.saved().end()) {
        const PreImageRecord& record = saved->second;
        if (record.content == Content::Lost) {
            return fail(ErrorCode::Unavailable, "open " + path + " as it was", "not kept: " + record.note);
        }
        if (record.content == Content::Copied || record.content == Content::Kept) {
            const UniqueFd objects(::open(m_images.objects.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
            if (!objects) {
                return failErrno("open " + m_images.objects.string());
            }
            return openFile(objects.get(), objectName(record.object));
        }
    }
    const auto present = m_before.presentOf(path);
    return present ? openFile(m_root.get(), *present)
                   : Result<UniqueFd>(fail(ErrorCode::NotFound, "open " + path + " as it was"));
}

Result<bool> DirectChanges::hasOtherContent(const std::string& original, const Entry& before,
                                            const std::string& present, const Entry& after) const
{
    if (before.type != after.type || before.target != after.target || before.size != after.size) {
        return true;
    }
    if (before.type != EntryType::File) {
        return false;
    }
    const bool isSameObject = before.device == after.device && before.inode == after.inode;
    const auto saved = m_before.saved().find(original);
    const bool isKept = saved != m_before.saved().end() && saved->second.content != Content::None
        && saved->second.content != Content::Lost;
    // Only its time, mode or attributes were changed, unless by another name of it.
    const bool isUnwritten
        = saved != m_before.saved().end() && saved->second.content == Content::None && before.links < 2;
    if (!isKept) {
        return !isSameObject || (!isUnwritten && before.changed != after.changed);
    }
    const auto was = openOriginal(original);
    const auto now = openFile(m_root.get(), present);
    if (!was || !now) {
        return true; // unreadable is not known to be the same
    }
    REVET_ASSIGN_OR_RETURN(const bool isSame, isEqualContent(*was, *now));
    return !isSame;
}

Result<bool> DirectChanges::differs(Change& change) const
{
    const auto& [path, before, after] = std::tie(change.path, change.before, change.after);
    REVET_ASSIGN_OR_RETURN(change.isContentChanged, hasOtherContent(path, before, path, after));
    const auto saved = m_before.saved().find(path);
    const bool hasAttributes = isDirectory(before) || before.type == EntryType::File;
    if (saved != m_before.saved().end() && hasAttributes && before.type == after.type) {
        REVET_ASSIGN_OR_RETURN(const Parent parent, openParent(m_root.get(), path));
        auto was = saved->second.attributes;
        std::erase_if(was, [](const Attribute& attribute) { return !canBeSet(attribute.name); });
        std::ranges::sort(was, {}, &Attribute::name);
        change.isAttributesChanged = readAttributes(parent.directory.get(), parent.name, canBeSet) != was;
    }
    return change.isContentChanged || before.mode != after.mode || change.isAttributesChanged;
}

Result<std::vector<Change>> DirectChanges::changes()
{
    REVET_ASSIGN_OR_RETURN(const auto paths, candidates());
    std::vector<Change> changes;
    if (const auto root = m_before.saved().find(""); root != m_before.saved().end()) {
        REVET_ASSIGN_OR_RETURN(Entry after, lookAt(m_root));
        if (after.mode != root->second.entry.mode) {
            changes.push_back(
                {Change::Kind::Modified, kRootPath, {}, root->second.entry, std::move(after), false});
        }
    }
    const auto isIn = [this](const std::string& path) -> Result<bool> {
        REVET_ASSIGN_OR_RETURN(const Entry entry, lookAtPresent(m_root.get(), path));
        return entry.exists();
    };
    GonePath gone;
    for (const std::string& path : paths) {
        REVET_ASSIGN_OR_RETURN(const Entry before, entryBefore(path));
        REVET_ASSIGN_OR_RETURN(const Entry after,
                               gone.isAbove(path) ? Result<Entry>(Entry{})
                                                  : lookAtPresent(m_root.get(), path));
        if (!after.exists()) {
            gone.set(path);
        }
        Change change;
        change.path = path;
        if (before.exists() && after.exists()) {
            if (isDirectory(before) != isDirectory(after)) {
                changes.push_back({Change::Kind::Deleted, path, {}, before, {}, true});
                changes.push_back({Change::Kind::Added, path, {}, {}, after, true});
                continue;
            }
            change.before = before;
            change.after = after;
            REVET_ASSIGN_OR_RETURN(const bool isOther, differs(change));
            if (isOther) {
                changes.push_back(std::move(change));
            }
            continue;
        }
        if (after.exists()) {
            const auto original = m_before.originalOf(path);
            const bool wasElsewhere = original && *original != path;
            REVET_ASSIGN_OR_RETURN(const bool isStillThere,
                                   wasElsewhere ? isIn(*original) : Result<bool>(true));
            if (!isStillThere) {
                REVET_ASSIGN_OR_RETURN(change.before, entryBefore(*original));
                change.kind = Change::Kind::Renamed;
                change.from = *original;
                change.after = after;
                REVET_ASSIGN_OR_RETURN(change.isContentChanged,
                                       hasOtherContent(*original, change.before, path, after));
                changes.push_back(std::move(change));
                continue;
            }
            changes.push_back({Change::Kind::Added, path, {}, {}, after, true});
            continue;
        }
        if (before.exists()) {
            const auto present = m_before.presentOf(path);
            REVET_ASSIGN_OR_RETURN(const bool isElsewhere,
                                   present&&* present != path ? isIn(*present) : Result<bool>(false));
            REVET_ASSIGN_OR_RETURN(const Entry replaced,
                                   isElsewhere ? entryBefore(*present) : Result<Entry>(Entry{}));
            // Moved to where nothing was: told there, as renamed.
            if (!isElsewhere || replaced.exists()) {
                changes.push_back({Change::Kind::Deleted, path, {}, before, {}, true});
            }
        }
    }
    return changes;
}

Result<UniqueFd> DirectChanges::openBefore(const Change& change)
{
    return openOriginal(change.kind == Change::Kind::Renamed ? change.from : change.path);
}

Result<UniqueFd> DirectChanges::openAfter(const Change& change)
{
    return openFile(m_root.get(), change.path);
}

} // namespace revet::workspace
