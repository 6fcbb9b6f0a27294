// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/clock.h"
#include "engine/os/proc_fs.h"
#include "engine/os/process_handle.h"
#include "engine/os/seccomp_notify.h"
#include "engine/os/target_memory.h"
#include "engine/supervisor/target.h"
#include "engine/supervisor/tree_generation.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

namespace revet::supervisor {

/// What is remembered of the processes behind one listener. One thread.
class ProcessCache
{
public:
    /// Remembered only where chdir, fchdir and umask are trapped.
    enum class Context : std::uint8_t { Forgotten, Remembered };

    /// `boxRoot`: the directory that a process of the box has for its root.
    ProcessCache(os::FileId boxRoot, const TreeGeneration& generation, Context context);
    ~ProcessCache();
    ProcessCache(const ProcessCache&) = delete;
    ProcessCache& operator=(const ProcessCache&) = delete;
    ProcessCache(ProcessCache&&) = delete;
    ProcessCache& operator=(ProcessCache&&) = delete;

    struct Process;
    /// The process of a waiting thread; stays valid until the next call.
    [[nodiscard]] Result<Process*> find(int tid);
    /// To be called before the call that changes it is let go.
    void beforeExec(int tid);
    void beforeExit(int tid);
    void beforeDirectoryChange(int tid);
    void setUmask(int tid, mode_t mask);

private:
    friend class ProcessTarget;
    [[nodiscard]] Result<bool> seesBox(int tid);
    void makeRoom();

    os::FileId m_boxRoot;
    /// Of the first process seen with that root: a listener's first is the command itself.
    std::optional<os::FileId> m_boxMountNamespace;
    const TreeGeneration& m_generation;
    Context m_context;
    std::unordered_map<int, std::unique_ptr<Process>> m_processes; ///< by pid
    std::unordered_map<int, os::ThreadOwner> m_threads;
};

/// The caller of one notification, read through the cache. Fails with ESRCH once nobody waits for an answer.
class ProcessTarget final : public Target
{
public:
    /// The caller must still wait after each read, else what was read may be another process's.
    ProcessTarget(const os::Notification& notification, os::NotifyDevice& device, ProcessCache& cache,
                  ProcessCache::Process& process);

    [[nodiscard]] int tid() const override { return m_tid; }
    [[nodiscard]] Result<std::string> readString(std::uint64_t address) override;
    [[nodiscard]] Result<void> readBytes(std::uint64_t address, std::span<std::byte> into) override;
    [[nodiscard]] Result<std::string> workingDirectory() override;
    [[nodiscard]] Result<std::string> descriptorPath(int fd) override;
    [[nodiscard]] Result<std::string> readLink(const std::string& name) override;
    [[nodiscard]] Result<UniqueFd> duplicateDescriptor(int fd) override;
    [[nodiscard]] mode_t fileModeMask() override;
    [[nodiscard]] std::uint64_t fileSizeLimit() override;
    [[nodiscard]] Result<bool> hasBoxView() override;

private:
    /// What a link in its directory of procfs says ("cwd", "fd/3").
    template<typename Type>
    [[nodiscard]] Result<Type> ifStillWaiting(Result<Type> result) const;

    int m_tid;
    std::uint64_t m_notification;
    os::NotifyDevice& m_device;
    ProcessCache& m_cache;
    ProcessCache::Process& m_process;
};

} // namespace revet::supervisor
