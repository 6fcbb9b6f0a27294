// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/tree_copy.h"

#include "engine/workspace/attributes.h"
#include "engine/workspace/listing.h"
#include "engine/workspace/open_object.h"
#include "engine/workspace/staging.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace revet::workspace {

namespace {

UniqueFd openEntry(const EntryName& entry, int flags)
{
    return UniqueFd(
        ::openat(entry.directory, entry.name.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
}

/// Mode and time come last: neither lets itself be disturbed.
Result<void> finish(const UniqueFd& from, const UniqueFd& to, const Entry& entry)
{
    for (const Attribute& attribute : readAttributes(from.get())) {
        // nor could it be when it came back
        static_cast<void>(changeAttribute(to.get(), attribute.name, attribute.value));
    }
    REVET_RETURN_IF_ERROR(setMode(to.get(), entry.mode));
    return setTime(to.get(), entry.changed);
}

Result<void> copyDirectory(const EntryName& from, const EntryName& to, const Entry& entry)
{
    const UniqueFd source = openEntry(from, O_RDONLY | O_DIRECTORY);
    if (!source || ::mkdirat(to.directory, to.name.c_str(), S_IRWXU) != 0) {
        return failErrno("copy the directory " + from.name);
    }
    const UniqueFd target = openEntry(to, O_RDONLY | O_DIRECTORY);
    if (!target) {
        return failErrno("copy the directory " + from.name);
    }
    REVET_ASSIGN_OR_RETURN(const auto names, listDirectory(source.get()));
    for (const std::string& name : names) {
        REVET_RETURN_IF_ERROR(copyTree({source.get(), name}, {target.get(), name}));
    }
    return finish(source, target, entry);
}

} // namespace

Result<void> copyTree(const EntryName& from, const EntryName& to)
{
    REVET_ASSIGN_OR_RETURN(const Entry entry, lookAt(from.directory, from.name));
    const Slot slot{to.directory, to.name};
    switch (entry.type) {
    case EntryType::Directory:
        return copyDirectory(from, to, entry);
    case EntryType::Link:
        REVET_RETURN_IF_ERROR(stageLink(slot, entry));
        return {};
    case EntryType::File: {
        const UniqueFd source = openEntry(from, O_RDONLY);
        if (!source) {
            return failErrno("copy " + from.name);
        }
        REVET_RETURN_IF_ERROR(stageFile(slot, source, entry, source.get()));
        return {};
    }
    case EntryType::Fifo: {
        if (::mkfifoat(to.directory, to.name.c_str(), entry.mode) != 0) {
            return failErrno("copy " + from.name);
        }
        const UniqueFd made = openEntry(to, O_PATH);
        return made ? setTime(made.get(), entry.changed) : failErrno("copy " + from.name);
    }
    case EntryType::Absent:
    case EntryType::Socket:
    case EntryType::Device:
        break;
    }
    return fail(ErrorCode::Unavailable, "copy " + from.name, "it is no file, directory or link");
}

Result<void> removeEntry(const EntryName& entry)
{
    if (::unlinkat(entry.directory, entry.name.c_str(), 0) == 0) {
        return {};
    }
    if (errno != EISDIR) {
        return failErrno("remove " + entry.name);
    }
    if (const UniqueFd object = openEntry(entry, O_PATH | O_DIRECTORY)) {
        REVET_RETURN_IF_ERROR(setMode(object.get(), S_IRWXU));
    }
    const UniqueFd directory = openEntry(entry, O_RDONLY | O_DIRECTORY);
    if (!directory) {
        return failErrno("remove " + entry.name);
    }
    REVET_ASSIGN_OR_RETURN(const auto names, listDirectory(directory.get()));
    for (const std::string& name : names) {
        REVET_RETURN_IF_ERROR(removeEntry({directory.get(), name}));
    }
    return ::unlinkat(entry.directory, entry.name.c_str(), AT_REMOVEDIR) == 0
        ? Result<void>()
        : failErrno("remove " + entry.name);
}

} // namespace revet::workspace
