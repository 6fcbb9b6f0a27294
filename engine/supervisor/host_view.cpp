// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/host_view.h"

#include "engine/base/unique_fd.h"
#include "engine/os/socket.h"
#include "engine/supervisor/place.h"

#include <algorithm>
#include <array>

#include <fcntl.h>
#include <unistd.h>

namespace revet::supervisor {
namespace {

[[nodiscard]] bool mayBlock(std::string_view fileSystem)
{
    static constexpr std::array kSlow{"nfs", "nfs4", "cifs", "smb3", "autofs",
                                      "9p",  "ceph", "afs",  "coda", "lustre"};
    return fileSystem.starts_with("fuse") || std::find(kSlow.begin(), kSlow.end(), fileSystem) != kSlow.end();
}

/// mountinfo writes blanks, newlines and backslashes as \ooo.
[[nodiscard]] std::string unescaped(std::string_view field)
{
    std::string text;
    for (std::size_t i = 0; i < field.size(); ++i) {
        if (field[i] != '\\' || i + 3 >= field.size()) {
            text.push_back(field[i]);
            continue;
        }
        text.push_back(
            static_cast<char>((field[i + 1] - '0') * 64 + (field[i + 2] - '0') * 8 + (field[i + 3] - '0')));
        i += 3;
    }
    return text;
}

/// Takes the first word off; blanks are escaped in words.
std::string_view takeWord(std::string_view& line)
{
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    return word;
}

/// Without streams: every start reads this, and those cost a twentieth of a millisecond for twenty lines.
std::vector<std::string> mountPoints(std::string_view mountInfo, bool isSlow)
{
    std::vector<std::string> points;
    while (!mountInfo.empty()) {
        const std::size_t end = std::min(mountInfo.find('\n'), mountInfo.size());
        std::string_view line = mountInfo.substr(0, end);
        mountInfo.remove_prefix(std::min(end + 1, mountInfo.size()));
        // proc(5): five fields, optional ones, a hyphen, the type.
        std::string_view point;
        for (int field = 0; field < 5; ++field) {
            point = takeWord(line);
        }
        while (!line.empty() && takeWord(line) != "-") { }
        const std::string_view fileSystem = takeWord(line);
        if (!fileSystem.empty() && mayBlock(fileSystem) == isSlow) {
            points.push_back(unescaped(point));
        }
    }
    return points;
}

} // namespace

std::vector<std::string> slowMountPoints(std::string_view mountInfo)
{
    return mountPoints(mountInfo, true);
}

std::vector<std::string> quickMountPoints(std::string_view mountInfo)
{
    return mountPoints(mountInfo, false);
}

std::string ownMountInfo()
{
    constexpr std::size_t kMaximumBytes = std::size_t{1} << 26U;
    const UniqueFd file(::open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC));
    return file ? os::readAll(file.get(), kMaximumBytes).value_or(std::string()) : std::string();
}

HostView::HostView()
    : m_slowMounts(slowMountPoints(ownMountInfo()))
{
}

bool HostView::has(const std::string& absolutePath) const
{
    const bool isSlow = std::any_of(m_slowMounts.begin(), m_slowMounts.end(), [&](const std::string& point) {
        return isAtOrBelow(absolutePath, point);
    });
    return !isSlow && ::faccessat(AT_FDCWD, absolutePath.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

} // namespace revet::supervisor
