// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/overlay_marks.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>

namespace revet::workspace {

bool isWhiteout(const UniqueFd& directory, const std::string& name, const Entry& entry)
{
    if (entry.type == EntryType::Device) {
        struct stat info = {};
        return ::fstatat(directory.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0
            && S_ISCHR(info.st_mode) && info.st_rdev == 0;
    }
    if (entry.type != EntryType::File || entry.size != 0) {
        return false;
    }
    const auto file = openFile(directory.get(), name);
    return file && ::fgetxattr(file->get(), "user.overlay.whiteout", nullptr, 0) >= 0;
}

bool isOpaque(const UniqueFd& directory)
{
    char value = 0;
    // "x" only says that there are whiteouts of the second form.
    return ::fgetxattr(directory.get(), "user.overlay.opaque", &value, 1) == 1 && value == 'y';
}

} // namespace revet::workspace
