// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/api/session_start.h"

#include "engine/ipc/protocol.h"
#include "engine/session/installation.h"
#include "engine/session/session_process.h"

#include <array>
#include <csignal>
#include <optional>
#include <string>
#include <utility>

#include <fcntl.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace revet::api {

namespace {

/// What a new process gets of us: descriptor 3 and the null device, nothing else.
class SpawnSettings
{
public:
    explicit SpawnSettings(int socket)
    {
        ::posix_spawn_file_actions_init(&m_actions);
        ::posix_spawnattr_init(&m_attributes);
        ::posix_spawn_file_actions_addopen(&m_actions, STDIN_FILENO, "/dev/null", O_RDWR, 0);
        ::posix_spawn_file_actions_adddup2(&m_actions, STDIN_FILENO, STDOUT_FILENO);
        ::posix_spawn_file_actions_adddup2(&m_actions, STDIN_FILENO, STDERR_FILENO);
        ::posix_spawn_file_actions_adddup2(&m_actions, socket, ipc::kFrontEndFd);
        ::posix_spawn_file_actions_addclosefrom_np(&m_actions, ipc::kFrontEndFd + 1);
        sigset_t none;
        ::sigemptyset(&none);
        ::posix_spawnattr_setsigmask(&m_attributes, &none);
        sigset_t ignoredByUs;
        ::sigemptyset(&ignoredByUs);
        ::sigaddset(&ignoredByUs, SIGPIPE);
        ::posix_spawnattr_setsigdefault(&m_attributes, &ignoredByUs);
        ::posix_spawnattr_setflags(&m_attributes,
                                   POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }
    SpawnSettings(const SpawnSettings&) = delete;
    SpawnSettings& operator=(const SpawnSettings&) = delete;
    SpawnSettings(SpawnSettings&&) = delete;
    SpawnSettings& operator=(SpawnSettings&&) = delete;
    ~SpawnSettings()
    {
        ::posix_spawn_file_actions_destroy(&m_actions);
        ::posix_spawnattr_destroy(&m_attributes);
    }
    [[nodiscard]] const posix_spawn_file_actions_t* actions() const { return &m_actions; }
    [[nodiscard]] const posix_spawnattr_t* attributes() const { return &m_attributes; }

private:
    posix_spawn_file_actions_t m_actions{};
    posix_spawnattr_t m_attributes{};
};

std::optional<StartedSession>& forkedSession()
{
    static std::optional<StartedSession> session;
    return session;
}

bool& isForkedOff()
{
    static bool isIt = false;
    return isIt;
}

void becomeSession(ipc::Channel frontEnd)
{
    isForkedOff() = true;
    ::prctl(PR_SET_NAME, "revet-session", 0, 0, 0); // what tells a living session from a number given anew
    const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::dup2(null, standard) != standard) {
            ::_exit(ipc::kRevetFailed);
        }
    }
    // A copy, since the original may have that number; the first deeds close it.
    const int copy = ::fcntl(frontEnd.fd(), F_DUPFD, ipc::kFrontEndFd + 1);
    frontEnd = {};
    if (::dup2(copy, ipc::kFrontEndFd) != ipc::kFrontEndFd) {
        ::_exit(ipc::kRevetFailed);
    }
    session::beginSessionProcess();
}

Result<StartedSession> spawnSession()
{
    REVET_ASSIGN_OR_RETURN(const session::Installation installation, session::Installation::find());
    REVET_ASSIGN_OR_RETURN(auto ends, ipc::Channel::createPair());
    std::string program = installation.libexec / "revet-session";
    const std::array<char*, 2> arguments = {program.data(), nullptr};
    const SpawnSettings settings(ends.second.fd());
    StartedSession session;
    const int problem = ::posix_spawn(&session.pid, program.c_str(), settings.actions(),
                                      settings.attributes(), arguments.data(), environ);
    if (problem != 0) {
        Error error = Error::fromErrno("start " + program, problem);
        error.context = "install Revet again";
        return fail(std::move(error));
    }
    session.channel = std::move(ends.first);
    return session;
}

} // namespace

int sessionMain()
{
    return session::runSessionProcess();
}

bool isSessionProcess()
{
    return isForkedOff();
}

void forkSession()
{
    auto ends = ipc::Channel::createPair();
    if (!ends) {
        return; // startSession() will say so
    }
    StartedSession session;
    session.pid = ::fork();
    if (session.pid == 0) {
        ends->first = {};
        becomeSession(std::move(ends->second));
    }
    if (session.pid > 0) {
        session.channel = std::move(ends->first);
        forkedSession() = std::move(session);
    }
}

Result<StartedSession> startSession(const ipc::RunRequest& request)
{
    REVET_ASSIGN_OR_RETURN(const UniqueFd memory, ipc::sealInMemory(ipc::encodeRunRequest(request)));
    StartedSession session;
    if (auto forked = std::exchange(forkedSession(), std::nullopt)) {
        session = std::move(*forked);
    } else {
        REVET_ASSIGN_OR_RETURN(session, spawnSession());
    }
    const std::array<int, 1> fds = {memory.get()};
    REVET_RETURN_IF_ERROR(session.channel.send(ipc::encode(ipc::Run{}), fds));
    return session;
}

} // namespace revet::api
