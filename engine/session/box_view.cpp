// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/box_view.h"

#include "engine/session/box_socket.h"
#include "engine/session/status_file.h"
#include "engine/session/turn_locks.h"
#include "engine/supervisor/resolver.h"
#include "engine/tiers/system_view.h"

#include <algorithm>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>

namespace revet::session {

namespace {

Result<supervisor::Root> openRoot(const std::string& path)
{
    supervisor::Root root;
    root.path = path;
    root.host.reset(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!root.host) {
        return failErrno("open the project " + path);
    }
    return root;
}

Result<void> addLayer(supervisor::Root& root, UniqueFd upper, const std::string& layer)
{
    root.kind = supervisor::Root::Kind::Layered;
    root.upper = std::move(upper);
    REVET_ASSIGN_OR_RETURN(root.lower, root.host.duplicate());
    // overlayfs made them with mode 000, the latter two with "volatile": a session that is killed must leave
    // nothing that resists removal.
    for (const char* const made : {"/work/work", "/work/work/incompat", "/work/work/incompat/volatile"}) {
        ::chmod((layer + made).c_str(), 0700);
    }
    return {};
}

/// What direct sessions have in common with others, and what they leave for the next when they are killed.
Result<void> addDirectParts(supervisor::BoxView& view, const Preparation& preparation, const Places& places)
{
    REVET_ASSIGN_OR_RETURN(
        view.turns,
        openTurnLocks(places.data / "turns", directRoots(preparation.spec), preparation.spec.home));
    const auto record = places.passingRecord(preparation.info.id);
    view.passingRecord.reset(::open(record.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    return view.passingRecord ? Result<void>() : failErrno("open " + record.string());
}

} // namespace

Result<supervisor::BoxView> makeBoxView(Preparation& preparation, UniqueFd root, const Places& places)
{
    const tiers::BoxSpec& spec = preparation.spec;
    supervisor::BoxView view;
    view.tier = spec.tier;
    view.observe = spec.observe;
    view.outerRoot = std::move(root);
    if (spec.tier == Tier::Sandbox) {
        REVET_RETURN_IF_ERROR(addDirectParts(view, preparation, places));
    }
    view.masked = spec.masked;
    view.sharedPrefixes = tiers::sharedSystemPrefixes();
    view.hostPlaces = view.sharedPrefixes;
    std::erase_if(view.hostPlaces, [](const std::string& place) { return place == "/dev"; }); // its own
    for (const tiers::VisiblePath& path : spec.visible) {
        view.hostPlaces.push_back(supervisor::normalized(path.inBox.empty() ? path.host : path.inBox));
    }
    for (const tiers::VisiblePath& socket : spec.sockets) {
        struct stat status = {};
        if (::stat(socket.host.c_str(), &status) != 0) {
            return failErrno("look at " + socket.host);
        }
        view.relayedSockets.push_back({supervisor::normalized(socket.inBox), status.st_dev, status.st_ino});
    }
    if (spec.hasNetwork) { // else the place is the box's own
        view.ownSocket = std::string(StatusFile::kPlaceInBox) + '/' + BoxSocket::kName;
    }
    view.sharedPrefixes.push_back(spec.project);
    std::vector<std::string> paths{spec.project};
    paths.insert(paths.end(), spec.sideRoots.begin(), spec.sideRoots.end());
    for (std::size_t i = 0; i < paths.size(); ++i) {
        REVET_ASSIGN_OR_RETURN(auto part, openRoot(paths[i]));
        if (spec.tier == Tier::Container) {
            const std::string layer = i == 0 ? spec.layer : spec.layer + "/side" + std::to_string(i - 1);
            REVET_RETURN_IF_ERROR(addLayer(part, std::move(preparation.uppers.at(i)), layer));
        }
        view.roots.push_back(std::move(part));
    }
    return view;
}

std::vector<std::string> directRoots(const tiers::BoxSpec& spec)
{
    std::vector<std::string> roots;
    if (spec.tier == Tier::Sandbox) {
        roots = spec.sideRoots;
        roots.push_back(spec.project);
    }
    return roots;
}

} // namespace revet::session
