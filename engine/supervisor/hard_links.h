// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <map>
#include <utility>

#include <sys/stat.h>

namespace revet::supervisor {

using InodeKey = std::pair<dev_t, ino_t>;
[[nodiscard]] inline InodeKey keyOf(const struct stat& status)
{
    return {status.st_dev, status.st_ino};
}

/// Which files with several names have all of them inside the roots: those whose further names the box made
/// itself in this session. Everything else may have a name outside the project, or be a protected file under
/// another name (rule G3), and is copied before it is changed. Not thread-safe.
class HardLinks
{
public:
    /// The box has made a further name for the file that is as `before` says.
    void added(const struct stat& before);
    /// The box has taken away one name of the file that was as `before` says.
    void removed(const struct stat& before);
    [[nodiscard]] bool areAllInside(const struct stat& status) const;

private:
    static constexpr std::size_t kMaximum = 200'000;
    std::map<InodeKey, nlink_t> m_known;
};

} // namespace revet::supervisor
