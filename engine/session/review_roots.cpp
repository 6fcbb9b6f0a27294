// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/review_roots.h"

#include "engine/session/closed_directory.h"
#include "engine/session/continuation.h"
#include "engine/session/git_state.h"
#include "engine/session/host_pins.h"
#include "engine/session/installation.h"
#include "engine/session/shipped_data.h"
#include "engine/session/workspace_record.h"
#include "engine/tiers/box_spec.h"
#include "engine/workspace/direct_changes.h"
#include "engine/workspace/layer_changes.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <utility>

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

/// A direct session's changes, against what it kept of its roots.
Result<std::vector<ReviewRoot>> openDirect(const Places& places, const SessionInfo& session)
{
    std::vector<ReviewRoot> roots;
    for (;;) {
        const fs::path kept
            = workspace::preImagesDirectory(places.sessionDirectory(session.id), roots.size());
        std::error_code error;
        if (!fs::is_directory(kept, error)) {
            break;
        }
        REVET_ASSIGN_OR_RETURN(auto changes, workspace::DirectChanges::open(kept));
        ReviewRoot part;
        part.path = changes->images().root.string();
        REVET_ASSIGN_OR_RETURN(part.directory, changes->root().duplicate());
        part.source = std::move(changes);
        roots.push_back(std::move(part));
    }
    if (roots.empty()) {
        return fail(ErrorCode::NotFound, "review the session " + session.id.text(),
                    "nothing was kept: it did not start, or an older Revet ran it");
    }
    return roots;
}

} // namespace

Result<std::vector<ReviewRoot>> openReview(const Places& places, const SessionInfo& session)
{
    if (session.tier != Tier::Container) {
        return openDirect(places, session);
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
    if (const std::string went = whereLayerWent(places, session.id); !went.empty()) {
        return fail(ErrorCode::NotFound, "review the session " + session.id.text(), went);
    }
    std::vector<ReviewRoot> roots;
    for (const WorkspaceRoot& root : *recorded) {
        ReviewRoot part;
        part.path = root.path;
        REVET_ASSIGN_OR_RETURN(part.directory, openRoot(root));
        const fs::path layer = directory / "layer";
        REVET_ASSIGN_OR_RETURN(part.source,
                               openLayer(tiers::layerPart(layer.string(), roots.size()), part.directory));
        roots.push_back(std::move(part));
    }
    return roots;
}

std::vector<std::string> pathsOf(const std::vector<ReviewRoot>& roots)
{
    std::vector<std::string> paths;
    std::ranges::transform(roots, std::back_inserter(paths), &ReviewRoot::path);
    return paths;
}

fs::path ownHome(const Places& places)
{
    const char* const home = std::getenv("HOME"); // NOLINT(concurrency-mt-unsafe): nothing changes it
    return home == nullptr ? places.config.parent_path().parent_path() : fs::path(home);
}

Result<policy::RunLaterTable> reviewTable(const Places& places, const std::vector<std::string>& roots)
{
    REVET_ASSIGN_OR_RETURN(Installation installation, Installation::find());
    REVET_ASSIGN_OR_RETURN(auto table, ShippedData(std::move(installation), places).runLater());
    const fs::path home = ownHome(places);
    REVET_ASSIGN_OR_RETURN(
        const auto pins,
        hostPins(GitState::of(roots), table, roots, home.string(), userGitFiles(home, places)));
    return std::move(table).with(pins);
}

} // namespace revet::session
