// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/bench/timing.h"

#include "engine/base/argument_pointers.h"
#include "engine/base/unique_fd.h"

#include <algorithm>
#include <array>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace revet::bench {

namespace {

constexpr std::size_t kMostOutput = 65'536;

/// Streams of the child: nothing in, output to `writer`, errors away.
class Streams
{
public:
    Streams(int writer, const std::filesystem::path& directory)
    {
        posix_spawn_file_actions_init(&m_actions);
        posix_spawn_file_actions_addopen(&m_actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_adddup2(&m_actions, writer, STDOUT_FILENO);
        posix_spawn_file_actions_addopen(&m_actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_addchdir_np(&m_actions, directory.c_str());
    }
    ~Streams() { posix_spawn_file_actions_destroy(&m_actions); }
    Streams(const Streams&) = delete;
    Streams& operator=(const Streams&) = delete;
    Streams(Streams&&) = delete;
    Streams& operator=(Streams&&) = delete;
    [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &m_actions; }

private:
    posix_spawn_file_actions_t m_actions{};
};

std::string readToEnd(int fd)
{
    std::string out;
    std::array<char, 16'384> buffer{};
    for (ssize_t size = 0; (size = ::read(fd, buffer.data(), buffer.size())) > 0;) {
        out.append(buffer.data(),
                   std::min(static_cast<std::size_t>(size), kMostOutput - std::min(out.size(), kMostOutput)));
    }
    return out;
}

} // namespace

std::optional<Timed> timeProgram(const std::vector<std::string>& command,
                                 const std::filesystem::path& directory,
                                 const std::map<std::string, std::string>& environment)
{
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        return std::nullopt;
    }
    const UniqueFd reader(ends[0]);
    UniqueFd writer(ends[1]);
    const Streams streams(writer.get(), directory);
    std::vector<std::string> assignments;
    for (const auto& [name, value] : environment) {
        assignments.push_back(name + "=" + value);
    }
    const std::vector<char*> argv = argumentPointers(command);
    const std::vector<char*> envp = argumentPointers(assignments);

    const auto start = std::chrono::steady_clock::now();
    pid_t child = 0;
    if (::posix_spawn(&child, argv[0], streams.get(), nullptr, argv.data(), envp.data()) != 0) {
        return std::nullopt;
    }
    writer.reset();
    Timed timed;
    timed.out = readToEnd(reader.get());
    int status = 0;
    ::waitpid(child, &status, 0);
    timed.wall = std::chrono::steady_clock::now() - start;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        return std::nullopt;
    }
    return timed;
}

double median(std::vector<double> values)
{
    if (values.empty()) {
        return 0;
    }
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

} // namespace revet::bench
