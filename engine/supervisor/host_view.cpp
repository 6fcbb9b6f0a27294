// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/host_view.h"

#include "engine/supervisor/place.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <sstream>

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
[[nodiscard]] std::string unescaped(const std::string& field)
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

std::vector<std::string> mountPoints(std::string_view mountInfo, bool isSlow)
{
    std::vector<std::string> points;
    std::istringstream lines{std::string(mountInfo)};
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        const std::vector<std::string> fields{std::istream_iterator<std::string>(words), {}};
        // proc(5): five fields, optional ones, a hyphen, the type.
        const auto hyphen = std::find(fields.begin(), fields.end(), "-");
        if (fields.size() > 4 && fields.end() - hyphen > 1 && mayBlock(*(hyphen + 1)) == isSlow) {
            points.push_back(unescaped(fields[4]));
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

HostView::HostView()
{
    const std::ifstream file("/proc/self/mountinfo");
    std::ostringstream text;
    text << file.rdbuf();
    m_slowMounts = slowMountPoints(text.str());
}

bool HostView::has(const std::string& absolutePath) const
{
    const bool isSlow = std::any_of(m_slowMounts.begin(), m_slowMounts.end(), [&](const std::string& point) {
        return isAtOrBelow(absolutePath, point);
    });
    return !isSlow && ::faccessat(AT_FDCWD, absolutePath.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

} // namespace revet::supervisor
