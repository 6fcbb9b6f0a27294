// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/layer_walk.h"

#include "engine/workspace/attributes.h"
#include "engine/workspace/file_content.h"
#include "engine/workspace/layer_changes.h"
#include "engine/workspace/listing.h"
#include "engine/workspace/oddities.h"
#include "engine/workspace/overlay_marks.h"

#include <cerrno>
#include <unordered_set>
#include <utility>

namespace revet::workspace {

namespace {

/// More is no review that anybody could read, and takes gigabytes to list.
constexpr std::size_t kMostChanges = 1'000'000;
/// Other bits depend on the group that it is of.
constexpr mode_t kPermissions = S_IRWXU | S_IRWXG | S_IRWXO;

std::string join(const std::string& directory, const std::string& name)
{
    return directory.empty() ? name : directory + '/' + name;
}

/// Which nobody needs a right for.
Result<Entry> lookAtRoot(int root)
{
    struct stat info = {};
    return ::fstat(root, &info) == 0 ? Result<Entry>(entryOf(info)) : failErrno("look at the project");
}

/// The directory of the lower tree at this path; none where there is no directory.
Result<UniqueFd> openIfThere(int root, const std::string& path)
{
    Result<UniqueFd> directory = openDirectory(root, path);
    // A link on the way: the box has made a directory where the project has a link to one.
    if (!directory
        && (directory.error().code == ErrorCode::NotFound || directory.error().code == ErrorCode::Refused)) {
        return UniqueFd();
    }
    return directory;
}

/// What a box saw of the lower directory. overlayfs hides nodes there that look like its own marks.
Result<Entry> lookAtLower(const UniqueFd& directory, const std::string& name)
{
    REVET_ASSIGN_OR_RETURN(Entry entry, lookAt(directory.get(), name));
    return isWhiteout(directory, name, entry) ? Entry{} : std::move(entry);
}

/// The attributes that tell.
std::vector<Attribute> attributesAt(const UniqueFd& directory, const std::string& name)
{
    return readAttributes(directory.get(), name, [](std::string_view attribute) {
        return canBeSet(attribute) && !isOverlayMark(attribute);
    });
}

} // namespace

Result<std::vector<Change>> LayerWalk::run()
{
    REVET_ASSIGN_OR_RETURN(Entry before, lookAtRoot(m_lower));
    REVET_ASSIGN_OR_RETURN(Entry after, lookAtRoot(m_upper));
    if ((before.mode & kPermissions) != (after.mode & kPermissions)) {
        REVET_RETURN_IF_ERROR(
            add({Change::Kind::Modified, kRootPath, {}, std::move(before), std::move(after), false}));
    }
    m_pending.push_back({});
    while (!m_pending.empty()) {
        const Pending directory = std::move(m_pending.back());
        m_pending.pop_back();
        REVET_RETURN_IF_ERROR(visit(directory));
    }
    return std::move(m_changes);
}

Result<void> LayerWalk::visit(const Pending& directory)
{
    const auto upper = openDirectory(m_upper, directory.path);
    if (!upper && upper.error().code == ErrorCode::NotFound) {
        return {}; // the box runs, and has removed it meanwhile
    }
    if (!upper && upper.error().errnoValue == EACCES && m_compareBytes != LayerChanges::kCompareAll) {
        // A quick look, to which it may hold anything, and has been told only where its own mode changed.
        Entry entry;
        entry.type = EntryType::Directory;
        const std::string& path = directory.path.empty() ? kRootPath : directory.path;
        return add({Change::Kind::Modified, path, {}, entry, entry, false, true});
    }
    if (!upper) {
        return fail(upper.error());
    }
    REVET_ASSIGN_OR_RETURN(const UniqueFd lower, openIfThere(m_lower, directory.path));
    const bool hidesLower = directory.hidesLower || isOpaque(*upper);
    REVET_ASSIGN_OR_RETURN(const std::vector<std::string> names, listDirectory(upper->get()));
    for (const std::string& name : names) {
        Sides sides;
        REVET_ASSIGN_OR_RETURN(sides.after, lookAt(upper->get(), name));
        if (!sides.after.exists()) {
            continue;
        }
        if (isWhiteout(*upper, name, sides.after)) {
            sides.after = {};
        }
        if (lower) {
            REVET_ASSIGN_OR_RETURN(sides.before, lookAtLower(lower, name));
        }
        sides.hasOtherAttributes = sides.after.exists() && sides.before.type == sides.after.type
            && attributesAt(*upper, name) != attributesAt(lower, name);
        sides.path = join(directory.path, name);
        REVET_RETURN_IF_ERROR(compare(std::move(sides), hidesLower));
    }
    if (!hidesLower || !lower) {
        return {};
    }
    const std::unordered_set<std::string> known(names.begin(), names.end());
    REVET_ASSIGN_OR_RETURN(const std::vector<std::string> hidden, listDirectory(lower.get()));
    for (const std::string& name : hidden) {
        if (!known.contains(name)) {
            Sides sides{join(directory.path, name), {}, {}, false};
            REVET_ASSIGN_OR_RETURN(sides.before, lookAtLower(lower, name));
            REVET_RETURN_IF_ERROR(compare(std::move(sides), true));
        }
    }
    return {};
}

Result<void> LayerWalk::compare(Sides sides, bool hidesLower)
{
    auto& [path, before, after, hasOtherAttributes] = sides;
    const bool wasDirectory = before.type == EntryType::Directory;
    const bool isDirectory = after.type == EntryType::Directory;
    if (isDirectory && !isTooDeep(path)) {
        m_pending.push_back({path, hidesLower || !wasDirectory});
    }
    if (wasDirectory != isDirectory) {
        if (wasDirectory) {
            REVET_RETURN_IF_ERROR(deleteTree(path, std::move(before)));
        } else if (before.exists()) {
            REVET_RETURN_IF_ERROR(add({Change::Kind::Deleted, path, {}, std::move(before), {}, true}));
        }
        return after.exists() ? add({Change::Kind::Added, path, {}, {}, std::move(after), !isDirectory})
                              : Result<void>();
    }
    if (isDirectory) {
        return before.mode == after.mode && !hasOtherAttributes ? Result<void>()
                                                                : add({Change::Kind::Modified,
                                                                       path,
                                                                       {},
                                                                       std::move(before),
                                                                       std::move(after),
                                                                       false,
                                                                       hasOtherAttributes});
    }
    return compareFiles(std::move(sides));
}

Result<void> LayerWalk::compareFiles(Sides&& sides)
{
    auto& [path, before, after, hasOtherAttributes] = sides;
    if (!before.exists() || !after.exists()) {
        if (!before.exists() && !after.exists()) {
            return {}; // the host has removed what the box removed
        }
        const auto kind = after.exists() ? Change::Kind::Added : Change::Kind::Deleted;
        return add({kind, path, {}, std::move(before), std::move(after), true});
    }
    const bool isChanged = before.type != after.type || before.target != after.target
        || (after.type == EntryType::File && !isSameContent(path, before, after));
    // Links have no mode of their own.
    const bool isOtherMode = before.mode != after.mode && after.type != EntryType::Link;
    return isChanged || isOtherMode || hasOtherAttributes ? add({Change::Kind::Modified,
                                                                 path,
                                                                 {},
                                                                 std::move(before),
                                                                 std::move(after),
                                                                 isChanged,
                                                                 hasOtherAttributes})
                                                          : Result<void>();
}

bool LayerWalk::isSameContent(const std::string& path, const Entry& before, const Entry& after)
{
    if (before.size != after.size) {
        return false;
    }
    if (before.size > m_compareBytes) {
        m_compareBytes = 0;
        return before.changed == after.changed; // a copy keeps its time
    }
    if (m_compareBytes != LayerChanges::kCompareAll) {
        m_compareBytes -= before.size;
    }
    const auto left = openFile(m_lower, path);
    const auto right = openFile(m_upper, path);
    // What cannot be read is shown rather than passed over.
    return left && right && isEqualContent(*left, *right).value_or(false);
}

Result<void> LayerWalk::deleteTree(const std::string& path, Entry before)
{
    REVET_RETURN_IF_ERROR(add({Change::Kind::Deleted, path, {}, std::move(before), {}, false}));
    std::vector<std::string> pending{path};
    while (!pending.empty()) {
        const std::string directory = std::move(pending.back());
        pending.pop_back();
        REVET_ASSIGN_OR_RETURN(const UniqueFd lower, openIfThere(m_lower, directory));
        if (!lower) {
            continue;
        }
        REVET_ASSIGN_OR_RETURN(const std::vector<std::string> names, listDirectory(lower.get()));
        for (const std::string& name : names) {
            REVET_ASSIGN_OR_RETURN(Entry entry, lookAtLower(lower, name));
            if (!entry.exists()) {
                continue;
            }
            const bool isDirectory = entry.type == EntryType::Directory;
            std::string below = join(directory, name);
            if (isDirectory && !isTooDeep(below)) {
                pending.push_back(below);
            }
            REVET_RETURN_IF_ERROR(
                add({Change::Kind::Deleted, std::move(below), {}, std::move(entry), {}, !isDirectory}));
        }
    }
    return {};
}

Result<void> LayerWalk::add(Change change)
{
    if (m_changes.size() == kMostChanges) {
        return fail(ErrorCode::LimitExceeded, "list the changes",
                    "there are more than " + std::to_string(kMostChanges));
    }
    m_changes.push_back(std::move(change));
    return {};
}

} // namespace revet::workspace
