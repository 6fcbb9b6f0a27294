// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/pre_image_place.h"

#include "engine/domain/places.h"
#include "engine/domain/store_name.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace revet::workspace {

namespace fs = std::filesystem;

namespace {

struct Mount
{
    std::uint64_t number = 0;
    std::uint64_t device = 0;
    friend bool operator==(const Mount&, const Mount&) = default;
};

Result<Mount> mountOf(const fs::path& directory)
{
    struct statx info = {};
    if (::statx(AT_FDCWD, directory.c_str(), AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS | STATX_MNT_ID, &info)
            != 0
        || (info.stx_mask & STATX_MNT_ID) == 0) {
        return failErrno("look at " + directory.string());
    }
    constexpr unsigned kMajorShift = 32;
    return Mount{info.stx_mnt_id,
                 std::uint64_t{info.stx_dev_major} << kMajorShift | std::uint64_t{info.stx_dev_minor}};
}

/// Whether the directory could be made and is on the mount.
bool isMadeOn(const Mount& mount, const fs::path& directory)
{
    if (!makePrivateDirectory(directory)) {
        return false;
    }
    const auto own = mountOf(directory);
    return own && *own == mount;
}

} // namespace

std::optional<fs::path> makeStoreAtTop(const fs::path& directory)
{
    const auto mount = mountOf(directory);
    if (!mount) {
        return std::nullopt;
    }
    fs::path top = directory;
    for (auto above = mountOf(top.parent_path()); top.has_relative_path() && above && *above == *mount;
         above = mountOf(top.parent_path())) {
        top = top.parent_path();
    }
    const fs::path store = top / ownStoreName();
    return isMadeOn(*mount, store) ? std::optional(store) : std::nullopt;
}

bool isTopOfMount(const fs::path& directory)
{
    return !areOnOneMount(directory, directory.parent_path());
}

bool areOnOneMount(const fs::path& one, const fs::path& other)
{
    const auto first = mountOf(one);
    const auto second = mountOf(other);
    return first && second && *first == *second;
}

Result<PreImagePlace> choosePreImagePlace(const fs::path& tree, const fs::path& manifest,
                                          const std::string& name)
{
    PreImagePlace place{manifest / "objects", false};
    REVET_RETURN_IF_ERROR(makePrivateDirectory(place.objects));
    REVET_ASSIGN_OR_RETURN(const Mount mount, mountOf(tree));
    const auto own = mountOf(place.objects);
    if (own && *own == mount) {
        place.canTake = true;
        return place;
    }
    if (const auto store = makeStoreAtTop(tree); store && isMadeOn(mount, *store / name)) {
        return PreImagePlace{*store / name, true};
    }
    return place;
}

} // namespace revet::workspace
