// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/continuation.h"

#include "engine/os/socket.h"
#include "engine/os/user_namespace.h"
#include "engine/session/closed_directory.h"
#include "engine/session/record_places.h"
#include "engine/session/text_file.h"
#include "engine/session/workspace_record.h"
#include "engine/tiers/box_spec.h"

#include <cerrno>
#include <sstream>
#include <utility>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace revet::session {

namespace {

namespace fs = std::filesystem;

constexpr const char* kName = "continues";
constexpr const char* kTaken = "continued-by";

fs::path layerOf(const Places& places, const SessionId& session)
{
    return places.sessionDirectory(session) / "layer";
}

bool moveDiscards(const Places& places, const SessionId& from, const SessionId& to)
{
    return ::rename(discardsOf(places, from).c_str(), discardsOf(places, to).c_str()) == 0 || errno == ENOENT;
}

/// overlayfs does not take the work directory of another mount, which may hold a mark of its own.
Result<void> renewWork(const fs::path& part)
{
    for (const char* const made : {"work/work", "work/work/incompat", "work/work/incompat/volatile"}) {
        std::error_code error;
        fs::permissions(part / made, fs::perms::owner_all, error);
    }
    std::error_code error;
    fs::remove_all(part / "work", error);
    if (error) {
        return fail(Error::fromErrno("clear " + (part / "work").string(), error.value()));
    }
    return makePrivateDirectory(part / "work");
}

/// In a child of its own, which may pass the closed door, and opens it for nobody.
Result<std::vector<UniqueFd>> openUppers(const fs::path& layer, std::size_t count)
{
    REVET_ASSIGN_OR_RETURN(auto ends, os::packetSocketPair());
    const pid_t child = ::fork();
    if (child < 0) {
        return failErrno("open the layer");
    }
    if (child == 0) {
        bool isSent = os::enterUserNamespace().has_value();
        for (std::size_t i = 0; i < count && isSent; ++i) {
            const UniqueFd upper(::open(closedDirectory(tiers::layerPart(layer.string(), i), "upper").c_str(),
                                        O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
            const int descriptor = upper.get();
            isSent = upper && os::sendPacket(ends.second.get(), "upper", {&descriptor, 1}).has_value();
        }
        ::_exit(isSent ? 0 : 1);
    }
    ends.second.reset();
    std::vector<UniqueFd> uppers;
    while (uppers.size() < count) {
        auto packet = os::receivePacket(ends.first.get(), 64);
        if (!packet || packet->descriptors.size() != 1) {
            break;
        }
        uppers.push_back(std::move(packet->descriptors.front()));
    }
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) { }
    return uppers.size() == count ? Result<std::vector<UniqueFd>>(std::move(uppers))
                                  : fail(ErrorCode::Unavailable, "open the layer " + layer.string());
}

} // namespace

Result<Continuation> continuationOf(const Places& places, const SessionInfo& session)
{
    Continuation continuation{nanosecondsOf(session.started), {}};
    const auto text = readText(places.sessionDirectory(session.id) / kName);
    if (!text) {
        return text.error().errnoValue == ENOENT ? Result<Continuation>(continuation) : fail(text.error());
    }
    std::istringstream words(*text);
    words >> continuation.began;
    for (std::string word; words >> word;) {
        REVET_ASSIGN_OR_RETURN(SessionId id, SessionId::parse(word));
        continuation.earlier.push_back(std::move(id));
    }
    return continuation;
}

std::string whereLayerWent(const Places& places, const SessionId& session)
{
    const auto text = readText(places.sessionDirectory(session) / kTaken);
    const auto id = text ? SessionId::parse(*text) : fail(text.error());
    std::error_code error;
    return id && !fs::exists(layerOf(places, session), error) ? "it goes on as the session " + id->text()
                                                              : std::string();
}

Result<void> checkContinuation(const Places& places, const SessionInfo& from, const std::string& project)
{
    const std::string what = "continue the session " + from.id.text();
    if (isLive(from)) {
        return fail(ErrorCode::Refused, what, "it still runs");
    }
    if (from.tier != Tier::Container) {
        return fail(ErrorCode::Refused, what,
                    "its changes are in the project itself: run without --continue");
    }
    if (from.project != project) {
        return fail(ErrorCode::Refused, what, "it is of another project");
    }
    std::error_code error;
    if (!fs::is_directory(layerOf(places, from.id), error)) {
        return fail(ErrorCode::NotFound, what, "nothing of it is left to go on with");
    }
    // Another repository may be at the path by now.
    REVET_ASSIGN_OR_RETURN(const auto roots, readWorkspaceRecord(places.sessionDirectory(from.id)));
    for (const WorkspaceRoot& root : roots) {
        REVET_ASSIGN_OR_RETURN(const UniqueFd opened, openRoot(root));
    }
    return {};
}

Result<std::vector<UniqueFd>> takeLayer(const Places& places, const SessionInfo& from, const SessionId& to)
{
    REVET_ASSIGN_OR_RETURN(Continuation continuation, continuationOf(places, from));
    REVET_ASSIGN_OR_RETURN(const auto roots, readWorkspaceRecord(places.sessionDirectory(from.id)));
    std::string text = std::to_string(continuation.began);
    continuation.earlier.push_back(from.id);
    for (const SessionId& id : continuation.earlier) {
        text += '\n' + id.text();
    }
    REVET_RETURN_IF_ERROR(replaceFile(places.sessionDirectory(to) / kName, text + '\n'));
    const fs::path layer = layerOf(places, to);
    if (::rename(layerOf(places, from.id).c_str(), layer.c_str()) != 0) {
        return failErrno("take the layer of " + from.id.text() + " over");
    }
    REVET_RETURN_IF_ERROR(replaceFile(places.sessionDirectory(from.id) / kTaken, to.text()));
    if (!moveDiscards(places, from.id, to)) {
        return failErrno("take over what was thrown away of " + from.id.text());
    }
    for (std::size_t i = 0; i < roots.size(); ++i) {
        REVET_RETURN_IF_ERROR(renewWork(tiers::layerPart(layer.string(), i)));
    }
    return openUppers(layer, roots.size());
}

Result<void> giveLayerBack(const Places& places, const SessionInfo& from, const SessionId& to)
{
    ::unlink((places.sessionDirectory(from.id) / kTaken).c_str());
    static_cast<void>(moveDiscards(places, to, from.id));
    // Where it was not taken yet, it is there still.
    return ::rename(layerOf(places, to).c_str(), layerOf(places, from.id).c_str()) == 0 || errno == ENOENT
        ? Result<void>()
        : failErrno("give the layer of " + from.id.text() + " back");
}

} // namespace revet::session
