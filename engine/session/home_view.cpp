// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/home_view.h"

#include "engine/base/directory.h"
#include "engine/domain/places.h"
#include "engine/journal/remove_tree.h"
#include "engine/session/closed_directory.h"
#include "engine/session/project_finder.h"

#include <algorithm>
#include <cerrno>
#include <map>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace revet::session {

namespace {

namespace fs = std::filesystem;

/// Where a program of a toolchain lives when its directory on PATH holds links only: the tree two levels up
/// (~/.local/share/uv/python/x/bin -> ~/.local/share/uv/python/x), never HOME itself.
fs::path treeOf(const fs::path& program, const std::string& home)
{
    const fs::path folder = program.parent_path();
    const bool isBin
        = folder.filename() == "bin" || folder.filename() == "sbin" || folder.filename() == "shims";
    const fs::path tree = isBin ? folder.parent_path() : folder;
    return tree.string() == home || isWithin(home, tree.string()) ? folder : tree;
}

std::string expandHome(const std::string& path, const std::string& home)
{
    return path.starts_with("~/") ? home + path.substr(1) : path;
}

/// A path as one name of a file.
std::string nameOfPath(std::string path)
{
    std::replace(path.begin(), path.end(), '/', '%');
    return path;
}

/// Paths of HOME, each with the place that it leads to.
using HomePaths = std::map<std::string, std::string>;

void addVisible(const fs::path& path, const std::string& home, HomePaths& paths)
{
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    if (error || !isWithin(real.string(), home) || real.string() == home) {
        return;
    }
    paths.emplace(real.string(), real.string());
    if (path != real && isWithin(path.string(), home)) {
        paths.emplace(path.string(), real.string()); // the name on PATH, whatever it leads to
    }
}

/// The trees behind the links of one directory on PATH; a directory with thousands of programs is not a
/// toolchain.
void addLinkTargets(const fs::path& directory, const std::string& home, HomePaths& paths)
{
    constexpr int kMaximumPrograms = 2000;
    int looked = 0;
    const auto look = [&](const fs::directory_entry& entry) {
        std::error_code error;
        if (++looked > kMaximumPrograms || !entry.is_symlink(error)) {
            return looked <= kMaximumPrograms;
        }
        const fs::path target = fs::canonical(entry.path(), error);
        if (!error && isWithin(target.string(), home) && !isWithin(target.string(), directory.string())) {
            addVisible(treeOf(target, home), home, paths);
        }
        return true;
    };
    // What cannot be listed shows nothing more.
    static_cast<void>(forEachEntry(directory, look).has_value());
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

Result<std::vector<tiers::VisiblePath>>
visibleToolchains(std::string_view path, const std::string& home,
                  const std::function<Result<policy::HiddenTable>()>& hidden,
                  const policy::ResolvedProfile& profile)
{
    HomePaths paths;
    while (!path.empty()) {
        const std::size_t colon = path.find(':');
        const fs::path directory(path.substr(0, colon));
        path = colon == std::string_view::npos ? std::string_view() : path.substr(colon + 1);
        if (directory.is_absolute() && isWithin(directory.string(), home)) {
            addVisible(treeOf(directory / "program", home), home, paths);
            addVisible(directory, home, paths);
            addLinkTargets(directory, home, paths);
        }
    }
    for (const auto& item : profile.visible) {
        addVisible(expandHome(item.value, home), home, paths);
    }
    if (!paths.empty()) {
        REVET_ASSIGN_OR_RETURN(const policy::HiddenTable table, hidden());
        std::erase_if(paths, [&table](const auto& item) { return table.match(item.second).has_value(); });
    }
    std::vector<tiers::VisiblePath> visible;
    for (const auto& entry : paths) {
        const std::string& item = entry.first;
        // Sorted, so a parent comes first and covers what lies below it.
        const bool isCovered
            = std::any_of(visible.begin(), visible.end(),
                          [&](const tiers::VisiblePath& earlier) { return isWithin(item, earlier.host); });
        if (!isCovered) {
            visible.push_back({item, {}, tiers::VisiblePath::Access::ReadOnly});
        }
    }
    return visible;
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
