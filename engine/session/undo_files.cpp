// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/undo_files.h"

#include "engine/base/argument_pointers.h"
#include "engine/base/unique_fd.h"
#include "engine/journal/remove_tree.h"
#include "engine/session/installation.h"
#include "engine/session/project_finder.h"
#include "engine/session/record_places.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace revet::session {

namespace fs = std::filesystem;

namespace {

/// Calls visit(directory) for each root that the session had, until one fails.
template<typename Visit>
Result<void> forEachManifest(const Places& places, const SessionId& id, Visit visit)
{
    const fs::path session = places.sessionDirectory(id);
    std::error_code error;
    for (std::size_t root = 0;; ++root) {
        const fs::path directory = workspace::preImagesDirectory(session, root);
        if (!fs::is_directory(directory, error)) {
            return {};
        }
        REVET_RETURN_IF_ERROR(visit(directory));
    }
}

} // namespace

Result<void> sealUndo(const Places& places, const SessionId& id, workspace::Unreadable unreadable)
{
    return forEachManifest(places, id, [unreadable](const fs::path& directory) {
        return workspace::sealLeftManifest(directory, unreadable);
    });
}

Result<void> sealUndoByReview(const SessionId& id)
{
    REVET_ASSIGN_OR_RETURN(const Installation installation, Installation::find());
    const std::vector<std::string> words{installation.libexec / "revet-review", "seal", id.text()};
    pid_t child = -1;
    int status = ::posix_spawn(&child, words.front().c_str(), nullptr, nullptr,
                               argumentPointers(words).data(), environ);
    while (status == 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) { }
    return status == 0 ? Result<void>()
                       : fail(ErrorCode::Unavailable, "note what " + id.text() + " leaves",
                              "revet-review could not: status " + std::to_string(status));
}

Result<std::vector<fs::path>> undoElsewhere(const Places& places, const SessionId& id)
{
    std::vector<fs::path> elsewhere = recordsElsewhere(places, id);
    REVET_RETURN_IF_ERROR(forEachManifest(places, id, [&](const fs::path& directory) -> Result<void> {
        const auto objects = workspace::readObjectsPlace(directory);
        if (!objects) {
            return objects.error().code == ErrorCode::NotFound ? Result<void>() : fail(objects.error());
        }
        // Outside there is one directory for each session and root, which has its name.
        if (!isWithin(objects->string(), places.sessionDirectory(id).string())
            && objects->filename().string().starts_with(id.text() + '-')) {
            elsewhere.push_back(*objects);
        }
        return {};
    }));
    return elsewhere;
}

Result<void> removeUndo(const std::vector<fs::path>& elsewhere)
{
    Result<void> outcome;
    for (const fs::path& objects : elsewhere) {
        const fs::path above = objects.parent_path();
        const UniqueFd parent(::open(above.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (!parent) {
            outcome = outcome && errno != ENOENT ? failErrno("open " + above.string()) : outcome;
            continue;
        }
        auto removed = journal::removeTree(parent.get(), objects.filename().string());
        outcome = outcome ? std::move(removed) : outcome;
        ::rmdir(above.c_str()); // where it was the last
    }
    return outcome;
}

Result<KeptUndo> keptUndo(const Places& places, const SessionId& id)
{
    REVET_ASSIGN_OR_RETURN(std::vector<fs::path> all, undoElsewhere(places, id));
    for (fs::path& own : recordDirectories(places, id)) {
        all.push_back(std::move(own));
    }
    all.push_back(places.sessionDirectory(id) / "pre-images");
    all.push_back(places.sessionDirectory(id) / "discarded");
    KeptUndo kept;
    for (const fs::path& directory : all) {
        struct stat info = {};
        const UniqueFd parent(::open(directory.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (!parent || ::lstat(directory.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
            continue;
        }
        kept.bytes += journal::treeBytes(parent.get(), directory.filename().string());
        kept.lastUse = std::max(kept.lastUse, WallTime(std::chrono::seconds(info.st_mtim.tv_sec)));
        kept.directories.push_back(directory);
    }
    return kept;
}

} // namespace revet::session
