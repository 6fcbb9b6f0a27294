// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

namespace revet::os {

/// What /proc/PID/stat says of a process or thread.
struct ProcessStat
{
    char state = '?'; ///< 'Z' for one that waits to be reaped
    int parent = 0;
    std::uint64_t startTicks = 0; ///< field 22: with the pid it names a process for good
    std::int32_t waitStatus = 0; ///< field 52: of a zombie; 0 where it may not be seen
};

/// What /proc/TID/status says, as far as it is needed.
struct ProcessStatus
{
    int threadGroup = 0;
    int innermostPid = 0; ///< its number in its own pid namespace
    int namespaceDepth = 0; ///< pid namespaces below the one of our /proc: 0 for one of our own processes
    mode_t umask = 0;
};

/// Signals that a thread would act upon if its system call returned.
struct SignalState
{
    std::uint64_t pending = 0; ///< for the thread or its process, not blocked, and caught or stopping
    bool isForThread = false; ///< one of them is for this thread alone
    int threads = 0;
    [[nodiscard]] bool isInterrupting() const { return pending != 0; }
};

struct FileId
{
    dev_t device = 0;
    ino_t inode = 0;
    friend auto operator<=>(const FileId&, const FileId&) = default;
};

/// One /proc/TID directory. Its readers fail with ENOENT or ESRCH once the process has gone, even when
/// another one got its number since.
class ProcessDirectory
{
public:
    [[nodiscard]] static Result<ProcessDirectory> open(int tid);

    [[nodiscard]] Result<ProcessStat> stat() const;
    [[nodiscard]] Result<ProcessStatus> status() const;
    [[nodiscard]] Result<SignalState> signals() const;
    /// How many seccomp filters bind it (Linux 5.9).
    [[nodiscard]] Result<int> seccompFilters() const;
    /// Where one of its links points ("cwd", "exe", "fd/3"): bytes, "(deleted)" and all.
    [[nodiscard]] Result<std::string> readLink(const char* name) const;
    /// The file behind one of its links ("root", "ns/mnt"), without opening it.
    [[nodiscard]] Result<FileId> identityOf(const char* name) const;
    /// The arguments it claims to have been started with: at most `limit` bytes of them.
    [[nodiscard]] Result<std::vector<std::string>> commandLine(std::size_t limit) const;
    /// Children of all its threads, in our pid namespace; at most `limit`.
    [[nodiscard]] std::vector<int> children(std::size_t limit) const;

private:
    explicit ProcessDirectory(UniqueFd directory)
        : m_directory(std::move(directory))
    {
    }
    [[nodiscard]] Result<std::string> readFile(const char* name, std::size_t limit) const;

    UniqueFd m_directory;
};

[[nodiscard]] Result<ProcessStat> parseProcessStat(const std::string& text);
[[nodiscard]] Result<ProcessStatus> parseProcessStatus(const std::string& text);
[[nodiscard]] Result<SignalState> parseSignalState(const std::string& status);

} // namespace revet::os
