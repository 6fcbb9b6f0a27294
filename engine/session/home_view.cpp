// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/home_view.h"

#include "engine/domain/places.h"
#include "engine/journal/remove_tree.h"
#include "engine/policy/secret_lines.h"
#include "engine/session/account.h"
#include "engine/session/closed_directory.h"
#include "engine/session/project_finder.h"
#include "engine/session/text_file.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace revet::session {

namespace {

namespace fs = std::filesystem;

/// A path as one name of a file.
std::string nameOfPath(std::string path)
{
    std::replace(path.begin(), path.end(), '/', '%');
    return path;
}

Result<UniqueFd> lockDirectory(const fs::path& directory)
{
    UniqueFd lock(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    if (!lock) {
        return failErrno("open " + directory.string());
    }
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
        return failErrno("lock " + directory.string());
    }
    return lock;
}

Result<void> makeLayer(const fs::path& layer)
{
    REVET_ASSIGN_OR_RETURN(const auto upper, makeClosedDirectory(layer, "upper"));
    // An upper that was mounted "volatile" is refused until this mark is gone, as it is after every session.
    // A cache may lose its last writes: the tools check what they find. overlayfs makes it with mode 000.
    const UniqueFd directory(::open(layer.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (::faccessat(directory.get(), "work", F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
        REVET_RETURN_IF_ERROR(journal::removeTree(directory.get(), "work"));
    }
    return makePrivateDirectory(layer / "work");
}

} // namespace

Result<std::vector<tiers::VisiblePath>> prepareSettings(const policy::ResolvedProfile& profile,
                                                        const std::string& home, const fs::path& directory)
{
    std::vector<tiers::VisiblePath> copies;
    for (const auto& item : profile.settings) {
        const std::string original = expandHome(item.value, home);
        const auto text = readText(original);
        if (!text) {
            continue; // most often there is none
        }
        REVET_RETURN_IF_ERROR(makePrivateDirectory(directory));
        const fs::path copy = directory / nameOfPath(item.value);
        REVET_RETURN_IF_ERROR(replaceFile(copy, policy::withoutSecretLines(*text)));
        copies.push_back({copy.string(), original, tiers::VisiblePath::Access::ReadOnly});
    }
    return copies;
}

Result<std::vector<tiers::SharedDirectory>> prepareState(const policy::ResolvedProfile& profile,
                                                         const std::string& home, const fs::path& places)
{
    std::vector<tiers::SharedDirectory> shared;
    for (const auto& item : profile.state) {
        const fs::path place = places / nameOfPath(item.value);
        REVET_RETURN_IF_ERROR(makeClosedDirectory(place, "kept"));
        shared.push_back({closedDirectory(place, "kept").string(), expandHome(item.value, home)});
    }
    return shared;
}

Result<CacheLayers> prepareCaches(const policy::ResolvedProfile& profile, const std::string& home,
                                  const fs::path& layers, const fs::path& sessionDirectory)
{
    CacheLayers result;
    for (const auto& item : profile.cache) {
        std::error_code error;
        const fs::path cache = fs::canonical(expandHome(item.value, home), error);
        if (error || !fs::is_directory(cache, error) || !isWithin(cache.string(), home)) {
            continue;
        }
        const std::string name = nameOfPath(item.value);
        fs::path layer = layers / name;
        REVET_RETURN_IF_ERROR(makePrivateDirectory(layer));
        auto lock = lockDirectory(layer);
        if (!lock) { // another session of this project runs and has it
            layer = sessionDirectory / "caches" / name;
            REVET_RETURN_IF_ERROR(makePrivateDirectory(layer));
            lock = lockDirectory(layer);
        }
        if (!lock) {
            return fail(lock.error());
        }
        REVET_RETURN_IF_ERROR(makeLayer(layer));
        result.caches.push_back({cache.string(), layer.string()});
        result.locks.push_back(std::move(*lock));
    }
    return result;
}

} // namespace revet::session
