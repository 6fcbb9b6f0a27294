// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/grantable_path.h"

#include "engine/base/directory.h"
#include "engine/domain/display_escape.h"
#include "engine/os/open_beneath.h"
#include "engine/session/own_places.h"
#include "engine/session/project_finder.h"

#include <cerrno>
#include <filesystem>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>

namespace revet::session {

namespace {

namespace fs = std::filesystem;

/// What the launcher takes in one errand.
constexpr std::size_t kMaximumPath = 4000;

/// Something that the table has and that lies below `path`; empty where there is nothing, as far as names
/// tell: what a pattern may find at any depth is not looked for.
std::string secretBelow(const std::string& path, const policy::HiddenTable& hidden)
{
    for (const policy::HiddenTable::Entry& entry : hidden.entries()) {
        const std::size_t glob = entry.pattern.find_first_of("*?[{");
        std::error_code error;
        if (glob == std::string::npos) {
            const bool isThere = isWithin(entry.pattern, path)
                && fs::symlink_status(entry.pattern, error).type() != fs::file_type::not_found;
            if (isThere) {
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

} // namespace

Result<GrantablePath> grantablePath(const std::string& path, const std::string& home, const Places& places,
                                    const policy::HiddenTable& hidden)
{
    const std::string operation = "show " + displayQuoted(path);
    const auto refuse
        = [&operation](const std::string& why) { return fail(ErrorCode::Refused, operation, why); };
    if (!path.starts_with('/') || path != fs::path(path).lexically_normal().string()
        || path.find('\0') != std::string::npos || path.size() > kMaximumPath
        || (path.size() > 1 && path.ends_with('/'))) {
        return fail(ErrorCode::InvalidArgument, operation, "write an absolute path, without '..' in it");
    }
    if (isWithin(home, path)) {
        return refuse("it holds your home and every secret in it; name a directory below");
    }
    if (meetsOwnPlaces(path, places)) {
        return refuse("it holds data of Revet itself");
    }
    if (const auto secret = hidden.match(path)) {
        return refuse("it is hidden from every box, as it holds secrets (" + secret->group + ")");
    }
    if (const std::string below = secretBelow(path, hidden); !below.empty()) {
        return refuse("it holds " + displayQuoted(below)
                      + ", which is hidden from every box; name a directory beside that");
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
    return GrantablePath{path, status.st_dev, status.st_ino};
}

} // namespace revet::session
