// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/engine/workspace/wanted_tree.h"

#include <cstdlib>
#include <fstream>
#include <set>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace revet::test {

namespace fs = std::filesystem;

namespace {

void write(const fs::path& file, const std::string& content, mode_t mode = 0644)
{
    fs::create_directories(file.parent_path());
    std::ofstream(file) << content;
    ::chmod(file.c_str(), mode);
    const timespec times[2]
        = {{0, UTIME_OMIT}, {1'000'000'000 + static_cast<time_t>(content.size()), 123456789}};
    ::utimensat(AT_FDCWD, file.c_str(), times, 0);
}

std::set<std::string> pathsOf(const fs::path& top)
{
    std::set<std::string> paths;
    for (const auto& entry : fs::recursive_directory_iterator(top)) {
        paths.insert(entry.path().lexically_relative(top).string());
    }
    return paths;
}

Result<UniqueFd> openToRead(const fs::path& file)
{
    UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    return fd ? Result<UniqueFd>(std::move(fd)) : failErrno("open " + file.string());
}

} // namespace

void makeTree(const fs::path& top)
{
    write(top / "a.txt", "one\n");
    write(top / "run.sh", "#!/bin/sh\n", 0644);
    write(top / "swap1", "first");
    write(top / "swap2", "second one");
    write(top / "hard1", "linked");
    fs::create_hard_link(top / "hard1", top / "hard2");
    write(top / "dir/kept", "kept");
    write(top / "dir/changed", std::string(300'000, 'x'));
    write(top / "gone/x", "x");
    write(top / "gone/deep/y", "yy");
    ::chmod((top / "gone/deep").c_str(), 0555);
    write(top / "locked/inside", "inside");
    ::chmod((top / "locked").c_str(), 0555);
    write(top / "kind", "file");
    write(top / "kinds/child", "child");
    fs::create_symlink("a.txt", top / "link");
    ::setxattr((top / "a.txt").c_str(), "user.note", "mine", 4, 0);
}

void changeTree(const fs::path& top)
{
    write(top / "a.txt", "one\ntwo\n");
    ::setxattr((top / "a.txt").c_str(), "user.note", "mine", 4, 0);
    ::chmod((top / "run.sh").c_str(), 0755);
    fs::rename(top / "swap1", top / "swap");
    fs::rename(top / "swap2", top / "swap1");
    fs::rename(top / "swap", top / "swap2");
    fs::remove(top / "hard1");
    write(top / "hard1", "no longer linked");
    write(top / "dir/changed", std::string(300'000, 'y'));
    ::chmod((top / "gone/deep").c_str(), 0755);
    fs::remove_all(top / "gone");
    ::chmod((top / "locked").c_str(), 0755);
    fs::remove(top / "locked/inside");
    write(top / "locked/other", "other");
    ::chmod((top / "locked").c_str(), 0555);
    fs::remove(top / "kind");
    write(top / "kind/now/deep", "deep");
    ::chmod((top / "kind/now").c_str(), 0555);
    fs::remove_all(top / "kinds");
    write(top / "kinds", "a file");
    fs::remove(top / "link");
    fs::create_symlink("run.sh", top / "link");
    write(top / "new/deep/file", "new", 0600);
    fs::create_symlink("../a.txt", top / "new/link");
}

std::vector<workspace::Operation> operationsBetween(const fs::path& tree, const fs::path& wanted)
{
    const UniqueFd before(::open(tree.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    const UniqueFd after(::open(wanted.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    std::set<std::string> paths = pathsOf(tree);
    paths.merge(pathsOf(wanted));
    std::vector<workspace::Operation> operations;
    for (const std::string& path : paths) {
        workspace::Operation operation;
        operation.path = path;
        // What lies behind a link is not there.
        operation.expected = workspace::lookAt(before.get(), path).value_or(workspace::Entry());
        operation.wanted = workspace::lookAt(after.get(), path).value_or(workspace::Entry());
        if (operation.wanted.type == workspace::EntryType::File) {
            operation.content = [file = wanted / path]() -> Result<UniqueFd> { return openToRead(file); };
        }
        operations.push_back(std::move(operation));
    }
    return operations;
}

} // namespace revet::test
