// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/closed_directory.h"

#include "engine/domain/places.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace revet::session {

namespace {

namespace fs = std::filesystem;

constexpr const char* kGate = "closed";

bool isClosed(const fs::path& gate)
{
    struct stat status = {};
    return ::lstat(gate.c_str(), &status) == 0 && S_ISDIR(status.st_mode)
        && (status.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO)) == 0;
}

/// The launcher's capabilities reach what belongs to the user's own group only; a directory above may have
/// passed on another one (setgid).
Result<void> makeOwn(const fs::path& directory)
{
    REVET_RETURN_IF_ERROR(makePrivateDirectory(directory));
    if (::chown(directory.c_str(), static_cast<uid_t>(-1), ::getgid()) != 0) {
        return failErrno("own " + directory.string());
    }
    return {};
}

Result<UniqueFd> makeInside(const fs::path& directory)
{
    REVET_RETURN_IF_ERROR(makeOwn(directory));
    UniqueFd made(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    if (!made) {
        return failErrno("open " + directory.string());
    }
    return made;
}

} // namespace

fs::path closedDirectory(const fs::path& parent, const char* name)
{
    return parent / kGate / name;
}

Result<UniqueFd> makeClosedDirectory(const fs::path& parent, const char* name)
{
    REVET_RETURN_IF_ERROR(makePrivateDirectory(parent));
    const fs::path gate = parent / kGate;
    if (isClosed(gate)) {
        return UniqueFd();
    }
    REVET_RETURN_IF_ERROR(makeOwn(gate));
    auto made = makeInside(gate / name);
    if (!made && made.error().errnoValue == EACCES && isClosed(gate)) {
        return UniqueFd(); // another session, which started at the same time, has made it
    }
    if (made && ::chmod(gate.c_str(), 0) != 0) {
        return failErrno("close " + gate.string());
    }
    if (made && ::access((gate / name).c_str(), F_OK) == 0) {
        return fail(ErrorCode::Refused, "close " + gate.string(),
                    "its file system keeps no modes; set XDG_DATA_HOME to a directory on one that does");
    }
    return made;
}

} // namespace revet::session
