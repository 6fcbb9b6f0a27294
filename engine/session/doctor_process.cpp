// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/doctor_process.h"

#include "engine/base/argument_pointers.h"
#include "engine/base/scope_exit.h"
#include "engine/os/pidfd.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace revet::session {

namespace {

} // namespace

Result<DoctorProcess> DoctorProcess::start(const Start& start)
{
    posix_spawn_file_actions_t actions{};
    ::posix_spawn_file_actions_init(&actions);
    const ScopeExit destroy([&actions] { ::posix_spawn_file_actions_destroy(&actions); });
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
        ::posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
    }
    int highest = STDERR_FILENO;
    for (const auto& [ours, theirs] : start.descriptors) {
        ::posix_spawn_file_actions_adddup2(&actions, ours, theirs);
        highest = std::max(highest, theirs);
    }
    ::posix_spawn_file_actions_addclosefrom_np(&actions, highest + 1);
    std::vector<char*> arguments = argumentPointers(start.argv);
    std::vector<char*> environment = argumentPointers(start.environment);
    DoctorProcess process;
    const int problem = ::posix_spawn(&process.m_pid, arguments.front(), &actions, nullptr, arguments.data(),
                                      environment.data());
    if (problem != 0) {
        process.m_pid = -1;
        return fail(Error{ErrorCode::System, "start " + start.argv.front(), problem,
                          "is Revet installed completely?"});
    }
    REVET_ASSIGN_OR_RETURN(process.m_handle, os::openPidFd(process.m_pid));
    return process;
}

DoctorProcess::DoctorProcess(DoctorProcess&& other) noexcept
    : m_pid(std::exchange(other.m_pid, -1))
    , m_handle(std::move(other.m_handle))
{
}

DoctorProcess& DoctorProcess::operator=(DoctorProcess&& other) noexcept
{
    std::swap(m_pid, other.m_pid);
    std::swap(m_handle, other.m_handle);
    return *this;
}

DoctorProcess::~DoctorProcess()
{
    if (m_pid > 0) {
        kill();
        while (::waitpid(m_pid, nullptr, 0) < 0 && errno == EINTR) { }
    }
}

bool DoctorProcess::isRunning() const
{
    pollfd source{m_handle.get(), POLLIN, 0};
    return m_pid > 0 && ::poll(&source, 1, 0) == 0;
}

void DoctorProcess::kill()
{
    if (m_pid > 0) {
        ::kill(m_pid, SIGKILL); // not reaped yet, so the number is still its own
    }
}

int DoctorProcess::wait(std::chrono::milliseconds patience)
{
    pollfd source{m_handle.get(), POLLIN, 0};
    int status = -1;
    if (m_pid <= 0 || ::poll(&source, 1, static_cast<int>(patience.count())) != 1
        || ::waitpid(m_pid, &status, 0) != m_pid) {
        return -1;
    }
    m_pid = -1;
    return status;
}

Result<std::string> outputOf(const std::vector<std::string>& argv)
{
    std::array<int, 2> ends{-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        return failErrno("make a pipe");
    }
    const UniqueFd readEnd(ends[0]);
    UniqueFd writeEnd(ends[1]);
    REVET_ASSIGN_OR_RETURN(const auto process,
                           DoctorProcess::start({argv, {}, {{writeEnd.get(), STDOUT_FILENO}}}));
    writeEnd.reset();
    constexpr std::size_t kMaximum = std::size_t{1} << 20U;
    std::string output;
    std::array<char, 4096> buffer{};
    ssize_t size = 0;
    while (output.size() < kMaximum && (size = ::read(readEnd.get(), buffer.data(), buffer.size())) > 0) {
        output.append(buffer.data(), static_cast<std::size_t>(size));
    }
    return size < 0 ? Result<std::string>(failErrno("read what " + argv.front() + " prints")) : output;
}

} // namespace revet::session
