// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/workspace_record.h"

#include "engine/base/bytes.h"
#include "engine/domain/display_escape.h"
#include "engine/session/text_file.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <sstream>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace revet::session {

namespace {

constexpr const char* kName = "workspace";
constexpr std::size_t kMostRoots = 1024;
constexpr const char* kReplaced = "replaced";
constexpr std::size_t kLargestText = std::size_t{1} << 20U; ///< that readText() takes

Result<WorkspaceRoot> identify(const UniqueFd& directory, const std::string& path)
{
    struct statx info = {};
    if (!directory || ::statx(directory.get(), "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &info) != 0) {
        return failErrno("look at " + path);
    }
    constexpr std::int64_t kNanoseconds = 1'000'000'000;
    const bool hasBirth = (info.stx_mask & STATX_BTIME) != 0;
    return WorkspaceRoot{path, info.stx_ino,
                         hasBirth ? info.stx_btime.tv_sec * kNanoseconds + info.stx_btime.tv_nsec : 0};
}

UniqueFd openDirectory(const std::string& path)
{
    return UniqueFd(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

} // namespace

Result<void> recordWorkspace(const std::filesystem::path& sessionDirectory,
                             const std::vector<std::string>& paths)
{
    ByteWriter writer;
    writer.number(static_cast<std::uint32_t>(paths.size()));
    for (const std::string& path : paths) {
        REVET_ASSIGN_OR_RETURN(const WorkspaceRoot root, identify(openDirectory(path), path));
        writer.string(root.path);
        writer.number(root.inode);
        writer.number(root.born);
    }
    const std::string file = sessionDirectory / kName;
    const UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    const std::string& bytes = writer.bytes();
    if (!fd || ::write(fd.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
        return failErrno("write " + file);
    }
    return {};
}

Result<std::vector<WorkspaceRoot>> readWorkspaceRecord(const std::filesystem::path& sessionDirectory)
{
    REVET_ASSIGN_OR_RETURN(const std::string bytes, readText(sessionDirectory / kName));
    ByteReader reader(bytes);
    REVET_ASSIGN_OR_RETURN(const auto count, reader.number<std::uint32_t>());
    std::vector<WorkspaceRoot> roots;
    while (roots.size() < count && roots.size() < kMostRoots) {
        WorkspaceRoot root;
        REVET_ASSIGN_OR_RETURN(root.path, reader.string(PATH_MAX));
        REVET_ASSIGN_OR_RETURN(root.inode, reader.number<std::uint64_t>());
        REVET_ASSIGN_OR_RETURN(root.born, reader.number<std::int64_t>());
        roots.push_back(std::move(root));
    }
    return roots;
}

Result<void> noteReplaced(const std::filesystem::path& sessionDirectory,
                          const std::vector<std::string>& paths)
{
    std::string text;
    for (const std::string& path : paths) {
        if (text.size() + path.size() >= kLargestText) {
            break;
        }
        text.append(path).append(1, '\0');
    }
    return replaceFile(sessionDirectory / kReplaced, text);
}

Result<void> addReplaced(const std::filesystem::path& sessionDirectory, std::set<std::string>& paths)
{
    const Result<std::string> text = readText(sessionDirectory / kReplaced);
    if (!text) {
        return text.error().errnoValue == ENOENT ? Result<void>() : fail(text.error());
    }
    std::istringstream lines(*text);
    for (std::string path; std::getline(lines, path, '\0');) {
        paths.insert(std::move(path));
    }
    return {};
}

Result<UniqueFd> openRoot(const WorkspaceRoot& root)
{
    UniqueFd directory = openDirectory(root.path);
    REVET_ASSIGN_OR_RETURN(const WorkspaceRoot now, identify(directory, displayQuoted(root.path)));
    if (now.inode != root.inode || now.born != root.born) {
        return fail(ErrorCode::Conflict, "review the changes of " + displayQuoted(root.path),
                    "another directory is there than when the session started");
    }
    return directory;
}

bool areRootsThere(const std::filesystem::path& sessionDirectory)
{
    const auto roots = readWorkspaceRecord(sessionDirectory);
    return roots
        && std::ranges::all_of(*roots, [](const WorkspaceRoot& root) { return openRoot(root).has_value(); });
}

} // namespace revet::session
