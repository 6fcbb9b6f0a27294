// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/pre_image_place.h"

#include "engine/domain/places.h"

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
    const fs::path above = directory.parent_path();
    const auto outer = mountOf(above.parent_path());
    if (!outer || *outer != mount || !makePrivateDirectory(above) || !makePrivateDirectory(directory)) {
        return false;
    }
    const auto own = mountOf(directory);
    return own && *own == mount;
}

} // namespace

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
    fs::path top = tree;
    for (auto above = mountOf(top.parent_path()); top.has_relative_path() && above && *above == mount;
         above = mountOf(top.parent_path())) {
        top = top.parent_path();
    }
    // A tree that is a mount of its own has no other place on it than within itself, where the box would see
    // it.
    if (top == tree) {
        return place;
    }
    for (const fs::path& candidate :
         {top / (".revet-" + std::to_string(::getuid())) / name, tree.parent_path() / ".revet-undo" / name}) {
        if (isMadeOn(mount, candidate)) {
            return PreImagePlace{candidate, true};
        }
    }
    return place;
}

} // namespace revet::workspace
