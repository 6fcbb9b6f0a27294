// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/domain/places.h"

#include "engine/base/own_account.h"

#include <cerrno>
#include <cstdlib>
#include <string>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

namespace revet {

namespace {

/// The value of a variable that must hold an absolute path, or empty.
std::filesystem::path absoluteFrom(const char* variable)
{
    const char* const value = std::getenv(variable); // NOLINT(concurrency-mt-unsafe): read at start-up
    return value != nullptr && value[0] == '/' ? std::filesystem::path(value) : std::filesystem::path();
}

Result<std::filesystem::path> homeDirectory()
{
    if (const std::filesystem::path home = absoluteFrom("HOME"); !home.empty()) {
        return home;
    }
    const auto line = ownPasswordLine();
    if (!line || !line->home.starts_with('/')) {
        return fail(ErrorCode::NotFound, "find the home directory", "set HOME to an absolute path");
    }
    return std::filesystem::path(line->home);
}

std::filesystem::path placeOf(const char* variable, const std::filesystem::path& fallback)
{
    const std::filesystem::path base = absoluteFrom(variable);
    const std::filesystem::path place = (base.empty() ? fallback : base) / "revet";
    // By its real name, since paths are compared with it that lead through no link.
    std::error_code error;
    const std::filesystem::path real = std::filesystem::weakly_canonical(place, error);
    return error ? place : real;
}

Result<std::filesystem::path> findRuntimeDirectory()
{
    if (const std::filesystem::path base = absoluteFrom("XDG_RUNTIME_DIR"); !base.empty()) {
        if (::access(base.c_str(), W_OK | X_OK) == 0) {
            const std::filesystem::path directory = base / "revet";
            REVET_RETURN_IF_ERROR(makePrivateDirectory(directory));
            return directory;
        }
    }
    std::filesystem::path base = absoluteFrom("TMPDIR");
    if (base.empty()) {
        base = "/tmp";
    }
    const std::filesystem::path directory = base / ("revet-" + std::to_string(::getuid()));
    REVET_RETURN_IF_ERROR(makePrivateDirectory(directory));
    return directory;
}

} // namespace

Result<Places> Places::find()
{
    REVET_ASSIGN_OR_RETURN(const std::filesystem::path home, homeDirectory());
    Places places;
    places.config = placeOf("XDG_CONFIG_HOME", home / ".config");
    places.data = placeOf("XDG_DATA_HOME", home / ".local/share");
    places.cache = placeOf("XDG_CACHE_HOME", home / ".cache");
    REVET_ASSIGN_OR_RETURN(places.runtime, findRuntimeDirectory());
    return places;
}

Result<void> makePrivateDirectory(const std::filesystem::path& directory)
{
    if (::mkdir(directory.c_str(), S_IRWXU) == 0) {
        return {};
    }
    if (errno == ENOENT && directory.has_parent_path() && directory.parent_path() != directory) {
        REVET_RETURN_IF_ERROR(makePrivateDirectory(directory.parent_path()));
        if (::mkdir(directory.c_str(), S_IRWXU) == 0) {
            return {};
        }
    }
    if (errno != EEXIST) {
        Error error = Error::fromErrno("make " + directory.string());
        error.context = "Revet keeps its data there: let yourself write it, or set another XDG directory";
        return fail(std::move(error));
    }
    struct stat status = {};
    if (::lstat(directory.c_str(), &status) != 0) {
        return failErrno("look at " + directory.string());
    }
    if (!S_ISDIR(status.st_mode) || status.st_uid != ::geteuid()
        || (status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        return fail(ErrorCode::Refused, "use " + directory.string(),
                    "it must be a directory of yours with mode 0700; see to that, or remove it");
    }
    return {};
}

} // namespace revet
