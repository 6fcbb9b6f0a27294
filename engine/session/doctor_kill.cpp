// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// What is left when a revet-session is killed: nothing of its box may be.

#include "engine/ipc/protocol.h"
#include "engine/os/pidfd.h"
#include "engine/os/proc_fs.h"
#include "engine/session/doctor_probes.h"
#include "engine/session/doctor_process.h"
#include "engine/session/doctor_world.h"
#include "engine/session/text_file.h"

#include <array>
#include <thread>

#include <poll.h>

namespace revet::session {

namespace {

using std::chrono::steady_clock;
using Status = DoctorCheck::Status;

constexpr int kStartPatienceMs = 30000;
constexpr std::chrono::milliseconds kGrace{1000};
constexpr std::size_t kAtLeast = 3; ///< keeper, pid 1, command

struct KilledSession
{
    ipc::Channel channel;
    DoctorProcess process;
};

Result<KilledSession> startSession(Tier tier, const DoctorWorld& world, const Installation& installation)
{
    const std::string probe = installation.libexec / "revet-probe";
    ipc::RunRequest request;
    request.command = {probe, "wait"};
    request.bindReadOnly = {probe};
    request.environment = world.environment();
    request.currentDirectory = world.project();
    request.project = world.project();
    request.tier = tier;
    REVET_ASSIGN_OR_RETURN(auto ends, ipc::Channel::createPair());
    REVET_ASSIGN_OR_RETURN(const auto memory, ipc::sealInMemory(ipc::encodeRunRequest(request)));
    REVET_ASSIGN_OR_RETURN(auto process,
                           DoctorProcess::start({{(installation.libexec / "revet-session").string()},
                                                 request.environment,
                                                 {{ends.second.fd(), ipc::kFrontEndFd}}}));
    const std::array descriptors{memory.get()};
    REVET_RETURN_IF_ERROR(ends.first.send(ipc::encode(ipc::Run{}), descriptors));
    return KilledSession{std::move(ends.first), std::move(process)};
}

/// The descriptors that came with it must stay open: a session whose front end has gone ends by itself.
Result<ipc::Frame> waitUntilStarted(const KilledSession& session)
{
    pollfd source{session.channel.fd(), POLLIN, 0};
    if (::poll(&source, 1, kStartPatienceMs) != 1) {
        return fail(ErrorCode::TimedOut, "wait for a session to start");
    }
    REVET_ASSIGN_OR_RETURN(auto frame, session.channel.receive());
    REVET_ASSIGN_OR_RETURN(const auto message, ipc::decode(frame.bytes));
    if (const auto* failed = std::get_if<ipc::Failed>(&message)) {
        return fail(ErrorCode::Unavailable, failed->message);
    }
    if (!std::holds_alternative<ipc::Started>(message)) {
        return fail(ErrorCode::Malformed, "wait for a session to start");
    }
    return frame;
}

/// Handles of every process below this one.
void collectBelow(int pid, std::vector<UniqueFd>& handles)
{
    constexpr std::size_t kMost = 64;
    const auto directory = os::ProcessDirectory::open(pid);
    if (!directory || handles.size() >= kMost) {
        return;
    }
    for (const int child : directory->children(kMost)) {
        if (auto handle = os::openPidFd(child)) {
            handles.push_back(std::move(*handle));
        }
        collectBelow(child, handles);
    }
}

/// A session says that it has started when the command's start is ordered, which is a little earlier.
std::vector<UniqueFd> waitForProcesses(int session)
{
    constexpr std::chrono::seconds kPatience{10};
    const auto deadline = steady_clock::now() + kPatience;
    std::vector<UniqueFd> handles;
    do {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        handles.clear();
        collectBelow(session, handles);
    } while (handles.size() < kAtLeast && steady_clock::now() < deadline);
    return handles;
}

std::size_t countAlive(const std::vector<UniqueFd>& handles)
{
    std::size_t alive = 0;
    for (const UniqueFd& handle : handles) {
        pollfd source{handle.get(), POLLIN, 0};
        alive += ::poll(&source, 1, 0) == 0 ? 1U : 0U; // readable: it has ended
    }
    return alive;
}

bool hasSocket(const DoctorWorld& world)
{
    std::error_code error;
    return !std::filesystem::is_empty(world.places().runtime, error) || error;
}

DoctorCheck check(std::string name, bool isOk, std::string good, std::string bad)
{
    return {std::move(name),
            isOk ? Status::Ok : Status::Unavailable,
            isOk ? std::move(good) : std::move(bad),
            {}};
}

DoctorCheck checkMounts(const std::string& root)
{
    const auto mounts = readText("/proc/self/mountinfo");
    const bool isClean = mounts && mounts->find(root) == std::string::npos;
    return check("kill -9: no mount stays", isClean, "none on the host", "the host has a mount of the box");
}

} // namespace

Result<std::vector<DoctorCheck>> runKillProbe(Tier tier, const Places& places,
                                              const Installation& installation)
{
    REVET_ASSIGN_OR_RETURN(auto world, DoctorWorld::create(places.cache));
    REVET_ASSIGN_OR_RETURN(auto session, startSession(tier, world, installation));
    REVET_ASSIGN_OR_RETURN(const auto started, waitUntilStarted(session));
    const std::vector<UniqueFd> handles = waitForProcesses(session.process.pid());
    if (handles.size() < kAtLeast || !hasSocket(world)) {
        return fail(ErrorCode::NotFound, "look at a session's processes and socket",
                    "found only " + std::to_string(handles.size()) + " processes");
    }
    session.process.kill();
    const auto killed = steady_clock::now();
    std::chrono::milliseconds passed{0};
    std::size_t alive = handles.size();
    bool isSocketThere = true;
    while (passed < kGrace && (alive > 0 || isSocketThere)) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        alive = countAlive(handles);
        isSocketThere = hasSocket(world);
        passed = std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - killed);
    }
    std::vector<DoctorCheck> checks;
    checks.push_back(check("kill -9: no process stays", alive == 0,
                           std::to_string(handles.size()) + " processes gone within "
                               + std::to_string(passed.count()) + " ms",
                           std::to_string(alive) + " processes live after a second"));
    checks.push_back(check("kill -9: no socket stays", !isSocketThere, "the control socket is gone",
                           "the control socket is still there"));
    const std::string root = world.root();
    checks.push_back(checkMounts(root));
    const auto removed = world.remove();
    checks.push_back(check("kill -9: everything can be removed", removed.has_value(), "nothing resists",
                           removed ? std::string() : toString(removed.error())));
    return checks;
}

} // namespace revet::session
