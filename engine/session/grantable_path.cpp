// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/grantable_path.h"

#include "engine/base/directory.h"
#include "engine/domain/display_escape.h"
#include "engine/domain/store_name.h"
#include "engine/launcher/errand.h"
#include "engine/os/open_beneath.h"
#include "engine/session/own_places.h"
#include "engine/session/path_kin.h"
#include "engine/session/project_finder.h"
#include "engine/supervisor/host_view.h"
#include "engine/workspace/pre_image_place.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <vector>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace revet::session {

namespace {

namespace fs = std::filesystem;

bool isGlob(const std::string& pattern)
{
    return pattern.find_first_of("*?[{") != std::string::npos;
}

/// What the path is called below the home, and below what the table has: there its patterns are about it.
std::vector<std::string> namesOf(const std::string& path, const PathKin& kin, const std::string& home,
                                 const policy::HiddenTable& hidden)
{
    std::vector<std::string> names{path};
    const auto add = [&](const std::string& place) {
        if (auto name = kin.asBelow(place); name && *name != path) {
            names.push_back(*std::move(name));
        }
    };
    add(home);
    for (const policy::HiddenTable::Entry& entry : hidden.entries()) {
        if (!isGlob(entry.pattern)) {
            add(entry.pattern);
        }
    }
    return names;
}

/// Something that the table has and that lies below `path`; empty where there is nothing, as far as names
/// tell: what a pattern may find at any depth is not looked for.
std::string secretBelow(const std::string& path, const PathKin& kin, const policy::HiddenTable& hidden)
{
    for (const policy::HiddenTable::Entry& entry : hidden.entries()) {
        const std::size_t glob = entry.pattern.find_first_of("*?[{");
        std::error_code error;
        if (glob == std::string::npos) {
            const bool isThere = isWithin(entry.pattern, path)
                && fs::symlink_status(entry.pattern, error).type() != fs::file_type::not_found;
            if (isThere || (kin.holds(entry.pattern) && hidden.match(entry.pattern))) {
                return entry.pattern;
            }
            continue;
        }
        const std::string directory = entry.pattern.substr(0, entry.pattern.rfind('/', glob));
        if (directory.empty() || !isWithin(directory, path)) {
            continue;
        }
        std::string found;
        const auto look = [&](const fs::directory_entry& there) {
            found = hidden.match(there.path().string()) ? there.path().string() : std::string();
            return found.empty();
        };
        // One that is not there holds nothing; one that cannot be read, nothing that the box could read.
        static_cast<void>(forEachEntry(directory, look).has_value());
        if (!found.empty()) {
            return found;
        }
    }
    return {};
}

bool isOfTheKernel(const struct statfs& info)
{
    constexpr std::array kKinds{PROC_SUPER_MAGIC,   SYSFS_MAGIC,   CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC,
                                DEVPTS_SUPER_MAGIC, DEBUGFS_MAGIC, TRACEFS_MAGIC,      SECURITYFS_MAGIC};
    return std::ranges::find(kKinds, info.f_type) != kKinds.end();
}

/// Undo keeps what sessions destroy at the top of a mount, and there a box that runs already would see it.
bool mayGetAStore(const std::string& top, const Places& places)
{
    return workspace::isTopOfMount(top) && !workspace::areOnOneMount(top, places.data)
        && ::access(top.c_str(), W_OK) == 0;
}

/// What is mounted there comes along.
Result<void> checkMounts(const std::string& path, const Places& places)
{
    std::vector<std::string> tops = supervisor::quickMountPoints(supervisor::ownMountInfo());
    std::erase_if(tops, [&path](const std::string& point) { return !isWithin(point, path); });
    tops.push_back(path);
    for (const std::string& top : tops) {
        struct statfs info = {};
        if (::statfs(top.c_str(), &info) == 0 && isOfTheKernel(info)) {
            return fail(ErrorCode::Refused, "show " + displayQuoted(path),
                        displayQuoted(top) + " is the kernel's own, and no file");
        }
        if (mayGetAStore(top, places)) {
            return fail(ErrorCode::Refused, "show " + displayQuoted(path),
                        displayQuoted(top)
                            + " is the top of a file system, where undo keeps what sessions destroy; name a "
                              "directory below it");
        }
    }
    return {};
}

} // namespace

Result<GrantablePath> grantablePath(const std::string& path, const std::string& home, const Places& places,
                                    const policy::HiddenTable& hidden)
{
    const std::string operation = "show " + displayQuoted(path);
    const auto refuse
        = [&operation](const std::string& why) { return fail(ErrorCode::Refused, operation, why); };
    if (!path.starts_with('/') || path != fs::path(path).lexically_normal().string()
        || path.find('\0') != std::string::npos || path.size() > launcher::kMaximumErrandPath
        || (path.size() > 1 && path.ends_with('/'))) {
        return fail(ErrorCode::InvalidArgument, operation, "write an absolute path, without '..' in it");
    }
    const PathKin kin(path);
    if (isWithin(home, path) || kin.holds(home)) {
        return refuse("it holds your home and every secret in it; name a directory below");
    }
    if (meetsOwnPlaces(path, places) || meetsOwnPlaces(kin, places) || isInStore(path)) {
        return refuse("it holds data of Revet itself");
    }
    for (const std::string& name : namesOf(path, kin, home, hidden)) {
        if (const auto secret = hidden.match(name)) {
            return refuse("it is hidden from every box, as it holds secrets (" + secret->group + ")");
        }
        if (const std::string below = secretBelow(name, kin, hidden); !below.empty()) {
            return refuse("it holds " + displayQuoted(below)
                          + ", which is hidden from every box; name a directory beside that");
        }
    }
    const UniqueFd top(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    const UniqueFd object = os::openBeneath(top.get(), path.substr(1), O_PATH | O_NOFOLLOW);
    struct stat status = {};
    if (!object || ::fstat(object.get(), &status) != 0) {
        const int error = errno;
        if (error == ELOOP) {
            std::error_code problem;
            return refuse("it leads through a link; name "
                          + displayQuoted(fs::weakly_canonical(path, problem).string()));
        }
        return fail(Error{error == ENOENT || error == ENOTDIR ? ErrorCode::NotFound : ErrorCode::System,
                          operation, error, "name a path that exists"});
    }
    if (S_ISLNK(status.st_mode)) {
        std::error_code problem;
        return refuse("it is a link; name " + displayQuoted(fs::weakly_canonical(path, problem).string()));
    }
    if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
        return refuse("it is neither a file nor a directory");
    }
    REVET_RETURN_IF_ERROR(checkMounts(path, places));
    return GrantablePath{path, status.st_dev, status.st_ino};
}

Result<void> checkWritable(const std::string& path, const std::string& home,
                           const policy::RunLaterTable& runLater)
{
    const auto refuse = [&path](const std::string& what) {
        return fail(ErrorCode::Refused, "let the box write " + displayQuoted(path),
                    "your machine runs it by itself (" + what + "); give it to be read only");
    };
    std::error_code error;
    if (fs::symlink_status(fs::path(path) / ".git", error).type() != fs::file_type::not_found) {
        return refuse("git, as it is a repository");
    }
    for (const std::string& name : {path, PathKin(path).asBelow(home).value_or(path)}) {
        // A home is what the table calls a project's root.
        const std::string relative
            = isWithin(name, home) && name != home ? name.substr(home.size() + 1) : name.substr(1);
        if (const auto match = runLater.match(relative);
            match && match->cls == policy::RunLaterClass::Pinned) {
            return refuse(match->entry);
        }
        if (runLater.couldHoldPinned(relative)) {
            return refuse("or what lies in it");
        }
        if (('/' + relative + '/').find("/.git/") != std::string::npos) {
            return refuse("git");
        }
    }
    return {};
}

} // namespace revet::session
