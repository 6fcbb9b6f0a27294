// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/step.h"

#include "engine/workspace/attributes.h"
#include "engine/workspace/listing.h"
#include "engine/workspace/open_object.h"
#include "engine/workspace/tree_copy.h"

#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace revet::workspace {

namespace {

/// A directory entry: what renameat2() takes.
struct Name
{
    int directory = -1;
    std::string name;
};

Result<void> move(const Name& from, const Name& to, unsigned flags, const std::string& path)
{
    if (::renameat2(from.directory, from.name.c_str(), to.directory, to.name.c_str(), flags) == 0) {
        return {};
    }
    Error error = Error::fromErrno("move " + path);
    if (errno == EEXIST || errno == ENOENT || errno == ENOTDIR) {
        error.code = ErrorCode::Conflict;
        error.context = "it was changed at this moment";
    } else if (errno == EINVAL) {
        error.code = ErrorCode::Unavailable;
        error.context = "the project's file system cannot exchange two files";
    }
    return fail(std::move(error));
}

/// Whether `present` is what was seen before it was moved, which changes its ctime. The time of a directory
/// changes with what is taken out of it.
bool isAsSeen(const Entry& present, const Entry& seen)
{
    return isSameObject(present, seen)
        && (present.type == EntryType::Directory
            || (present.size == seen.size && present.changed == seen.changed));
}

tl::unexpected<Error> changedMeanwhile(const std::string& path)
{
    return fail(ErrorCode::Conflict, "change " + path, "it was changed at this moment");
}

Result<void> checkTaken(const Scene& scene, const Step& step)
{
    REVET_ASSIGN_OR_RETURN(const Entry taken, lookAt(scene.objects, slotName(step.slot)));
    if (!isAsSeen(taken, step.before)) {
        return changedMeanwhile(step.path);
    }
    if (taken.type == EntryType::Directory && !step.isWholeTree) {
        REVET_ASSIGN_OR_RETURN(const std::vector<std::string> left,
                               listDirectory(scene.objects, slotName(step.slot)));
        if (!left.empty()) {
            return changedMeanwhile(step.path);
        }
    }
    return {};
}

Result<void> setAttributes(const Scene& scene, const Step& step, bool isForward)
{
    if (isForward && step.kind == Step::Kind::Touch && step.changed == 0) {
        return {};
    }
    REVET_ASSIGN_OR_RETURN(const UniqueFd object, openObject(scene.tree, step.path));
    REVET_ASSIGN_OR_RETURN(const Entry present, lookAt(object));
    if (!isSameObject(present, step.object)) {
        return changedMeanwhile(step.path);
    }
    for (const AttributeChange& attribute : step.attributes) {
        REVET_RETURN_IF_ERROR(
            changeAttribute(object.get(), attribute.name, isForward ? attribute.after : attribute.before));
    }
    const mode_t mode = isForward ? step.mode : step.before.mode;
    if (step.kind == Step::Kind::SetAttributes && present.type != EntryType::Link && present.mode != mode) {
        REVET_RETURN_IF_ERROR(setMode(object.get(), mode));
    }
    const std::int64_t changed = isForward ? step.changed : step.before.changed;
    return changed == 0 ? Result<void>() : setTime(object.get(), changed);
}

/// Whether the path holds `object`; also where that is not to be told, as for a path through a link.
Result<bool> holds(const Scene& scene, const std::string& path, const Entry& object)
{
    const Result<Entry> present = lookAt(scene.tree, path.empty() ? "." : path);
    return present && isSameObject(*present, object);
}

Result<bool> reverseFetch(const Scene& scene, const Step& step)
{
    const std::string slot = slotName(step.slot);
    REVET_ASSIGN_OR_RETURN(const Entry kept, lookAt(scene.objects, slot));
    if (!isSameObject(kept, step.object)) {
        return true;
    }
    REVET_ASSIGN_OR_RETURN(const Parent source, openStored(scene.store, step.source));
    REVET_RETURN_IF_ERROR(
        move({scene.objects, slot}, {source.directory.get(), source.name}, RENAME_NOREPLACE, step.source));
    return true;
}

/// Puts what lies in the slot back at the path; the path must be free.
Result<bool> putBack(const Scene& scene, const Step& step)
{
    const Result<Parent> parent = openParent(scene.tree, step.path);
    if (!parent) {
        return false;
    }
    const Result<void> back = move({scene.objects, slotName(step.slot)},
                                   {parent->directory.get(), parent->name}, RENAME_NOREPLACE, step.path);
    if (!back && back.error().code != ErrorCode::Conflict) {
        return fail(back.error());
    }
    return back.has_value();
}

} // namespace

/// Absolute paths lead to pre-images, which lie where nobody but us writes.
Result<Parent> openStored(int store, const std::string& source)
{
    if (!source.starts_with('/')) {
        return openParent(store, source);
    }
    const std::size_t slash = source.rfind('/');
    Parent parent;
    parent.name = source.substr(slash + 1);
    parent.directory.reset(::open(source.substr(0, slash).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    return parent.directory ? Result<Parent>(std::move(parent)) : failErrno("open " + source);
}

Result<Entry> lookAtStored(int store, const std::string& source)
{
    const Result<Parent> parent = openStored(store, source);
    return parent ? lookAt(parent->directory.get(), parent->name) : Entry{};
}

Result<Entry> copyStored(const Scene& scene, const std::string& source, std::uint32_t slot)
{
    REVET_ASSIGN_OR_RETURN(const Parent parent, openStored(scene.store, source));
    REVET_RETURN_IF_ERROR(copyTree({parent.directory.get(), parent.name}, {scene.objects, slotName(slot)}));
    return lookAt(scene.objects, slotName(slot));
}

std::string slotName(std::uint32_t slot)
{
    return std::to_string(slot);
}

bool isSameObject(const Entry& one, const Entry& other)
{
    return one.exists() && one.type == other.type && one.device == other.device && one.inode == other.inode;
}

Result<void> act(const Scene& scene, const Step& step)
{
    const Name slot{scene.objects, slotName(step.slot)};
    if (step.kind == Step::Kind::Touch || step.kind == Step::Kind::SetAttributes) {
        return setAttributes(scene, step, true);
    }
    if (step.kind == Step::Kind::Fetch) {
        REVET_ASSIGN_OR_RETURN(const Parent source, openStored(scene.store, step.source));
        return move({source.directory.get(), source.name}, slot, RENAME_NOREPLACE, step.source);
    }
    Result<Parent> parent = openParent(scene.tree, step.path);
    if (!parent) {
        parent.error().code = ErrorCode::Conflict;
        return fail(std::move(parent).error());
    }
    const Name place{parent->directory.get(), parent->name};
    if (step.kind == Step::Kind::PutIn) {
        return move(slot, place, RENAME_NOREPLACE, step.path);
    }
    if (step.kind == Step::Kind::TakeLock) {
        Result<void> taken = move(slot, place, RENAME_NOREPLACE, step.path);
        if (!taken && taken.error().code == ErrorCode::Conflict) {
            taken.error().context = "another program holds it";
        }
        return taken;
    }
    if (step.kind == Step::Kind::Release) {
        REVET_ASSIGN_OR_RETURN(const bool isOurs, holds(scene, step.path, step.object));
        return isOurs ? move(place, slot, RENAME_NOREPLACE, step.path) : Result<void>();
    }
    REVET_RETURN_IF_ERROR(step.kind == Step::Kind::Swap ? move(slot, place, RENAME_EXCHANGE, step.path)
                                                        : move(place, slot, RENAME_NOREPLACE, step.path));
    return checkTaken(scene, step);
}

Result<bool> reverse(const Scene& scene, const Step& step)
{
    const Name slot{scene.objects, slotName(step.slot)};
    switch (step.kind) {
    case Step::Kind::Fetch:
        return reverseFetch(scene, step);
    case Step::Kind::Release:
        return true; // what takes the lock back sees where it is
    case Step::Kind::Touch:
    case Step::Kind::SetAttributes: {
        REVET_ASSIGN_OR_RETURN(const bool isThere, holds(scene, step.path, step.object));
        if (isThere) {
            REVET_RETURN_IF_ERROR(setAttributes(scene, step, false));
        }
        return true;
    }
    case Step::Kind::TakeOut: {
        REVET_ASSIGN_OR_RETURN(const Entry kept, lookAt(scene.objects, slot.name));
        return kept.exists() ? putBack(scene, step) : Result<bool>(true);
    }
    case Step::Kind::PutIn:
    case Step::Kind::TakeLock:
    case Step::Kind::Swap: {
        REVET_ASSIGN_OR_RETURN(const bool isDone, holds(scene, step.path, step.object));
        if (isDone) {
            REVET_ASSIGN_OR_RETURN(const Parent parent, openParent(scene.tree, step.path));
            const Name place{parent.directory.get(), parent.name};
            const bool isSwap = step.kind == Step::Kind::Swap;
            REVET_RETURN_IF_ERROR(move(place, slot, isSwap ? RENAME_EXCHANGE : RENAME_NOREPLACE, step.path));
            return true;
        }
        // The slot holds what the step was to bring: it was not done. Anything else is what lay there, and
        // somebody removed or replaced what the step brought.
        REVET_ASSIGN_OR_RETURN(const Entry kept, lookAt(scene.objects, slot.name));
        const bool isReplaced = step.kind == Step::Kind::Swap && !isSameObject(kept, step.object);
        return isReplaced && kept.exists() ? putBack(scene, step) : Result<bool>(true);
    }
    }
    return true;
}

} // namespace revet::workspace
