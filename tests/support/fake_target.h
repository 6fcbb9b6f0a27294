// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/supervisor/fact_sink.h"
#include "engine/supervisor/target.h"

#include <array>
#include <atomic>
#include <climits>
#include <cstring>
#include <limits>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace revet::test {

/// This very process as the one behind a notification: its memory, descriptors and working directory.
class FakeTarget final : public supervisor::Target
{
public:
    [[nodiscard]] int tid() const override { return static_cast<int>(::syscall(SYS_gettid)); }
    [[nodiscard]] Result<std::string> readString(std::uint64_t address) override
    {
        return std::string(reinterpret_cast<const char*>(address)); // NOLINT(performance-no-int-to-ptr)
    }
    [[nodiscard]] Result<void> readBytes(std::uint64_t address, std::span<std::byte> into) override
    {
        // NOLINTNEXTLINE(performance-no-int-to-ptr)
        std::memcpy(into.data(), reinterpret_cast<const void*>(address), into.size());
        return {};
    }
    [[nodiscard]] Result<std::string> workingDirectory() override
    {
        return directory.empty() ? linkText("/proc/thread-self/cwd", ENOENT) : directory;
    }
    [[nodiscard]] Result<std::string> descriptorPath(int fd) override
    {
        return linkText("/proc/self/fd/" + std::to_string(fd), EBADF);
    }
    [[nodiscard]] Result<std::string> readLink(const std::string& name) override
    {
        return linkText("/proc/self/" + name, ENOENT);
    }
    [[nodiscard]] Result<UniqueFd> duplicateDescriptor(int fd) override
    {
        UniqueFd copy(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
        if (!copy) {
            return failErrno("duplicate a descriptor");
        }
        return copy;
    }
    [[nodiscard]] mode_t fileModeMask() override { return mask; }
    [[nodiscard]] std::uint64_t fileSizeLimit() override
    {
        struct rlimit limit = {};
        ::getrlimit(RLIMIT_FSIZE, &limit);
        return limit.rlim_cur;
    }
    [[nodiscard]] Result<bool> hasBoxView() override { return seesBox; }

    std::string directory; ///< the working directory; empty: the calling thread's own
    mode_t mask = 022;
    Result<bool> seesBox = true;

private:
    static Result<std::string> linkText(const std::string& link, int missing)
    {
        std::array<char, PATH_MAX> text{};
        const ssize_t length = ::readlink(link.c_str(), text.data(), text.size());
        if (length < 0) {
            return fail(Error::fromErrno("read a link of procfs", missing));
        }
        return std::string(text.data(), static_cast<std::size_t>(length));
    }
};

/// Keeps the facts it is told.
class FactCollector final : public supervisor::FactSink
{
public:
    void record(int /*tid*/, Fact fact) override
    {
        const std::scoped_lock lock(m_mutex);
        m_facts.push_back(std::move(fact));
        m_room = m_room > 0 ? m_room - 1 : 0;
    }
    void aboutToExec(int /*tid*/) override { }
    void aboutToExit(int /*tid*/, std::int32_t /*waitStatus*/) override { }
    [[nodiscard]] bool canRecord() const override { return m_room > 0; }
    /// After so many facts the sink is one that has lost some.
    void setRoom(int facts) { m_room = facts; }

    [[nodiscard]] std::vector<Fact> take()
    {
        const std::scoped_lock lock(m_mutex);
        return std::exchange(m_facts, {});
    }

private:
    std::mutex m_mutex;
    std::vector<Fact> m_facts;
    std::atomic<int> m_room = std::numeric_limits<int>::max();
};

} // namespace revet::test
