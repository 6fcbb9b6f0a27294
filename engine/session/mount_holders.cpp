// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/mount_holders.h"

#include "engine/base/directory.h"
#include "engine/domain/display_escape.h"
#include "engine/os/open_beneath.h"
#include "engine/os/proc_fs.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>

namespace revet::session {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaximumNamed = 8;
constexpr std::size_t kMaximumProcesses = 4096;
constexpr std::size_t kMaximumDescriptors = 32768; ///< of all of them: the session waits meanwhile

std::optional<std::uint64_t> mountOf(const fs::path& path)
{
    struct statx info = {};
    const bool isKnown = ::statx(AT_FDCWD, path.c_str(), AT_STATX_DONT_SYNC, STATX_MNT_ID, &info) == 0
        && (info.stx_mask & STATX_MNT_ID) != 0;
    return isKnown ? std::optional<std::uint64_t>(info.stx_mnt_id) : std::nullopt;
}

/// Looks at `left` descriptors at most, which it takes off.
bool holds(const fs::path& process, std::uint64_t mount, std::size_t& left)
{
    if (mountOf(process / "cwd") == mount || mountOf(process / "exe") == mount) {
        return true;
    }
    bool isHeld = false;
    const auto look = [&](const fs::directory_entry& open) {
        if (left == 0) {
            return false;
        }
        --left;
        isHeld = mountOf(open.path()) == mount;
        return !isHeld;
    };
    // One that has ended meanwhile holds nothing.
    static_cast<void>(forEachEntry(process / "fd", look).has_value());
    return isHeld;
}

/// Of all that the box has: what has lost its parent is pid 1's.
std::vector<fs::path> processesBelow(pid_t init)
{
    std::vector<int> all{init};
    for (std::size_t i = 0; i < all.size() && all.size() < kMaximumProcesses; ++i) {
        if (const auto directory = os::ProcessDirectory::open(all[i])) {
            const std::vector<int> children = directory->children(kMaximumProcesses);
            all.insert(all.end(), children.begin(), children.end());
        }
    }
    std::vector<fs::path> processes;
    std::transform(all.begin() + 1, all.end(), std::back_inserter(processes),
                   [](int pid) { return fs::path("/proc") / std::to_string(pid); });
    return processes;
}

} // namespace

std::optional<std::uint64_t> mountInBox(pid_t init, const launcher::Errand& errand)
{
    for (const fs::path& process : processesBelow(init)) { // pid 1 itself lets nobody look
        const UniqueFd top(::open((process / "root").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        const UniqueFd object = os::openBeneath(top.get(), errand.target.substr(1), O_PATH | O_NOFOLLOW);
        struct stat status = {};
        if (object && ::fstat(object.get(), &status) == 0 && status.st_dev == errand.device
            && status.st_ino == errand.inode) {
            return mountOf("/proc/self/fd/" + std::to_string(object.get()));
        }
    }
    return std::nullopt;
}

std::string holdersOf(pid_t init, std::uint64_t mount)
{
    std::string names;
    std::size_t count = 0;
    std::size_t left = kMaximumDescriptors;
    for (const fs::path& process : processesBelow(init)) {
        if (holds(process, mount, left) && ++count <= kMaximumNamed) {
            std::error_code error;
            names += (names.empty() ? "" : ", ")
                + displayQuoted(fs::read_symlink(process / "exe", error).filename().string()) + " ("
                + process.filename().string() + ')';
        }
    }
    if (left == 0) { // who knows
        return names + (names.empty() ? "others, perhaps" : " and others, perhaps");
    }
    return count <= kMaximumNamed ? names : names + " and " + std::to_string(count - kMaximumNamed) + " more";
}

} // namespace revet::session
