// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/processes.h"

#include <QTest>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>
#include <system_error>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace revet::test {

namespace fs = std::filesystem;

namespace {

/// Empty when the process is gone or another user's. It may go between the open and the read: a stream buffer
/// throws then, which only an output stream swallows.
std::string contentOf(const fs::path& file)
{
    const std::ifstream stream(file, std::ios::binary);
    std::ostringstream content;
    content << stream.rdbuf();
    return content.str();
}

pid_t listenerOf(const std::string& socketPath)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (socketPath.size() >= sizeof(address.sun_path)) {
        return 0;
    }
    std::copy(socketPath.begin(), socketPath.end(), address.sun_path);
    const int fd = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    ucred credentials{};
    socklen_t size = sizeof(credentials);
    const bool connected = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0
        && ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0;
    ::close(fd);
    return connected ? credentials.pid : 0;
}

} // namespace

std::vector<pid_t> processesMentioning(const std::string& text)
{
    std::vector<pid_t> found;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator("/proc", error)) {
        const std::string name = entry.path().filename();
        if (!std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c) != 0; })) {
            continue;
        }
        const auto pid = static_cast<pid_t>(std::stol(name));
        if (pid != ::getpid() && contentOf(entry.path() / "cmdline").find(text) != std::string::npos) {
            found.push_back(pid);
        }
    }
    return found;
}

pid_t sessionProcess(const fs::path& runtimeDirectory)
{
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(runtimeDirectory / "revet", error)) {
        if (entry.path().extension() == ".sock") {
            if (const pid_t pid = listenerOf(entry.path()); pid != 0) {
                return pid;
            }
        }
    }
    return 0;
}

std::vector<std::string> mountsMentioning(const std::string& text)
{
    std::vector<std::string> found;
    std::ifstream mounts("/proc/self/mountinfo");
    for (std::string line; std::getline(mounts, line);) {
        if (line.find(text) != std::string::npos) {
            found.push_back(line);
        }
    }
    return found;
}

bool comesTrue(int milliseconds, const std::function<bool()>& condition)
{
    constexpr int kInterval = 10;
    for (int waited = 0; waited <= milliseconds; waited += kInterval) {
        if (condition()) {
            return true;
        }
        QTest::qWait(kInterval);
    }
    return condition();
}

} // namespace revet::test
