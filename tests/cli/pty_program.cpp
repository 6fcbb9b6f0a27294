// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/cli/pty_program.h"

#include "engine/base/argument_pointers.h"
#include "engine/base/assert.h"

#include <QElapsedTimer>

#include <algorithm>
#include <array>
#include <csignal>

#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace revet::test {

namespace {

constexpr int kPause = 10; // ms

} // namespace

PtyProgram::PtyProgram(const TempHome& home, const std::vector<std::string>& command)
{
    std::vector<std::string> words = command;
    std::vector<std::string> variables{"PS1=> "};
    for (const auto& [name, value] : home.environment()) {
        variables.push_back(name + '=' + (name == "TERM" ? "xterm" : value));
    }
    const std::vector<char*> arguments = argumentPointers(words);
    const std::vector<char*> environment = argumentPointers(variables);
    const std::string directory = home.project();
    const winsize size{24, 80, 0, 0};
    int master = -1;
    m_pid = ::forkpty(&master, nullptr, nullptr, &size);
    REVET_ASSERT(m_pid >= 0);
    if (m_pid == 0) {
        // Qt Test has a second thread: nothing but system calls from here.
        if (::chdir(directory.c_str()) == 0) {
            ::execve(arguments.front(), arguments.data(), environment.data());
        }
        ::_exit(127);
    }
    m_keys.reset(master);
}

PtyProgram::~PtyProgram()
{
    if (!m_status) {
        ::kill(m_pid, SIGKILL);
        m_keys.reset();
        ::waitpid(m_pid, nullptr, 0);
    }
}

void PtyProgram::type(const std::string& keys)
{
    REVET_ASSERT(::write(m_keys.get(), keys.data(), keys.size()) == static_cast<ssize_t>(keys.size()));
}

void PtyProgram::read(int milliseconds)
{
    pollfd polled{m_keys.get(), POLLIN, 0};
    if (::poll(&polled, 1, milliseconds) <= 0) {
        return;
    }
    std::array<char, 65536> chunk{};
    const ssize_t size = ::read(m_keys.get(), chunk.data(), chunk.size());
    if (size > 0) {
        m_output.append(chunk.data(), static_cast<std::size_t>(size));
    } else {
        ::usleep(kPause * 1000); // its last holder has closed the other side
    }
}

bool PtyProgram::shows(const std::string& text, int milliseconds)
{
    QElapsedTimer timer;
    timer.start();
    for (;;) {
        const std::size_t at = m_output.find(text, m_seen);
        if (at != std::string::npos) {
            m_seen = at + text.size();
            return true;
        }
        const qint64 left = milliseconds - timer.elapsed();
        if (left <= 0) {
            return false;
        }
        read(static_cast<int>(left));
    }
}

void PtyProgram::resize(unsigned short rows, unsigned short columns)
{
    const winsize size{rows, columns, 0, 0};
    REVET_ASSERT(::ioctl(m_keys.get(), TIOCSWINSZ, &size) == 0);
}

void PtyProgram::vanish()
{
    m_keys.reset();
}

std::optional<int> PtyProgram::status(int milliseconds)
{
    QElapsedTimer timer;
    timer.start();
    while (!m_status) {
        int waited = 0;
        if (::waitpid(m_pid, &waited, WNOHANG) == m_pid) {
            m_status = WIFSIGNALED(waited) ? 128 + WTERMSIG(waited) : WEXITSTATUS(waited);
        } else if (timer.hasExpired(milliseconds)) {
            break;
        } else if (m_keys) {
            read(kPause); // a program whose output nobody takes does not end
        } else {
            ::usleep(kPause * 1000);
        }
    }
    return m_status;
}

} // namespace revet::test
