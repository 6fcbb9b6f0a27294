// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/review_roots.h"

#include "engine/session/closed_directory.h"
#include "engine/session/workspace_record.h"
#include "engine/workspace/layer_changes.h"

#include <cerrno>

#include <fcntl.h>

namespace revet::session {

namespace {

namespace fs = std::filesystem;

Result<std::unique_ptr<workspace::ChangeSource>> openLayer(const fs::path& layer, const UniqueFd& project)
{
    const fs::path path = closedDirectory(layer, "upper");
    UniqueFd upper(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    if (!upper) {
        return failErrno("open the session's layer");
    }
    REVET_ASSIGN_OR_RETURN(UniqueFd lower, project.duplicate());
    return std::make_unique<workspace::LayerChanges>(std::move(upper), std::move(lower));
}

} // namespace

Result<std::vector<ReviewRoot>> openReview(const Places& places, const SessionInfo& session)
{
    if (session.tier != Tier::Container) {
        return fail(ErrorCode::Unavailable, "review a session that changed its project directly",
                    "`revet files " + session.id.text() + " --changed` lists what it changed");
    }
    const fs::path directory = places.sessionDirectory(session.id);
    const auto recorded = readWorkspaceRecord(directory);
    if (!recorded && recorded.error().errnoValue == ENOENT) {
        return fail(ErrorCode::NotFound, "review the session " + session.id.text(),
                    "it has no layer: it did not start, or an older Revet ran it");
    }
    if (!recorded) {
        return fail(recorded.error());
    }
    std::vector<ReviewRoot> roots;
    for (const WorkspaceRoot& root : *recorded) {
        ReviewRoot part;
        part.path = root.path;
        REVET_ASSIGN_OR_RETURN(part.directory, openRoot(root));
        const fs::path layer = directory / "layer";
        const fs::path own = roots.empty() ? layer : layer / ("side" + std::to_string(roots.size() - 1));
        REVET_ASSIGN_OR_RETURN(part.source, openLayer(own, part.directory));
        roots.push_back(std::move(part));
    }
    return roots;
}

} // namespace revet::session
