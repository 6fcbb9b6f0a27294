// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/listing.h"

#include "engine/workspace/entry.h"

#include <cerrno>
#include <memory>

#include <dirent.h>
#include <fcntl.h>

namespace revet::workspace {

namespace {

struct CloseDirectory
{
    void operator()(DIR* stream) const { ::closedir(stream); }
};

} // namespace

Result<std::vector<std::string>> listDirectory(int directory)
{
    UniqueFd opened(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const std::unique_ptr<DIR, CloseDirectory> stream(opened ? ::fdopendir(opened.get()) : nullptr);
    if (!stream) {
        return failErrno("list a directory");
    }
    static_cast<void>(opened.release()); // the stream has it
    std::vector<std::string> names;
    errno = 0;
    // NOLINTNEXTLINE(concurrency-mt-unsafe): a stream of its own, which no other thread has
    while (const dirent* entry = ::readdir(stream.get())) {
        const std::string name = static_cast<const char*>(entry->d_name);
        if (name != "." && name != "..") {
            names.push_back(name);
        }
        errno = 0;
    }
    return errno == 0 ? Result<std::vector<std::string>>(std::move(names)) : failErrno("list a directory");
}

Result<std::vector<std::string>> listDirectory(int root, const std::string& path)
{
    REVET_ASSIGN_OR_RETURN(const Parent parent, openParent(root, path));
    const UniqueFd directory(
        ::openat(parent.directory.get(), parent.name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    return directory ? listDirectory(directory.get()) : failErrno("list " + path);
}

} // namespace revet::workspace
