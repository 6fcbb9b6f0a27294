// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/process_target.h"

#include "engine/os/pidfd.h"

#include <cerrno>
#include <climits>
#include <string_view>
#include <utility>

#include <sys/resource.h>

namespace revet::supervisor {
namespace {

/// Each process costs three descriptors.
constexpr std::size_t kMaximumProcesses = 128;
constexpr std::size_t kMaximumThreads = 4096;
constexpr mode_t kStrictestMask = 0777;

[[nodiscard]] SteadyTime now()
{
    return std::chrono::steady_clock::now();
}

/// What a link of /proc was read as. What has been removed ends in " (deleted)": its way up is still there.
[[nodiscard]] Result<std::string> pathBehind(Result<std::string> path, int whenMissing)
{
    if (!path) {
        Error error = std::move(path).error();
        error.errnoValue = error.errnoValue == ENOENT ? whenMissing : error.errnoValue;
        return fail(std::move(error));
    }
    if (!path->starts_with('/')) {
        return fail(Error::fromErrno("name what a descriptor of the target stands for", ENOTDIR));
    }
    return path;
}

} // namespace

struct ProcessCache::Process
{
    explicit Process(os::ProcessHandle pinned)
        : handle(std::move(pinned))
        , memory(handle.pid())
    {
    }

    os::ProcessHandle handle;
    os::TargetMemory memory;
    std::optional<os::ProcessDirectory> directory; ///< of the thread that was looked at last
    int directoryOf = 0;
    std::optional<std::string> workingDirectory;
    std::uint64_t workingDirectoryGeneration = 0;
    SteadyTime settledFrom{}; ///< until then a chdir may be under way
    std::optional<mode_t> umask;
    std::optional<bool> seesBox;
};

ProcessCache::ProcessCache(os::FileId boxRoot, const TreeGeneration& generation, Context context)
    : m_boxRoot(boxRoot)
    , m_generation(generation)
    , m_context(context)
{
}

ProcessCache::~ProcessCache() = default;

Result<ProcessCache::Process*> ProcessCache::find(int tid)
{
    const auto thread = m_threads.find(tid);
    if (thread != m_threads.end()) {
        const auto known = m_processes.find(thread->second.pid());
        if (known != m_processes.end() && thread->second.isStill(known->second->handle, tid, now())) {
            return known->second.get();
        }
    }
    REVET_ASSIGN_OR_RETURN(os::ProcessHandle handle, os::ProcessHandle::ofThread(tid));
    makeRoom();
    m_threads.insert_or_assign(tid, os::ThreadOwner(handle.pid(), now()));
    std::unique_ptr<Process>& process = m_processes[handle.pid()];
    if (!process || !process->handle.isAlive()) {
        process = std::make_unique<Process>(std::move(handle));
    }
    return process.get();
}

void ProcessCache::makeRoom()
{
    if (m_processes.size() < kMaximumProcesses && m_threads.size() < kMaximumThreads) {
        return;
    }
    m_threads.clear();
    m_processes.clear();
}

void ProcessCache::beforeExec(int tid)
{
    const Result<Process*> process = find(tid);
    if (process) {
        m_processes.erase((*process)->handle.pid());
    }
}

void ProcessCache::beforeExit(int tid)
{
    beforeExec(tid);
    m_threads.erase(tid);
}

void ProcessCache::beforeDirectoryChange(int tid)
{
    const Result<Process*> process = find(tid);
    if (process) {
        (*process)->workingDirectory.reset();
        (*process)->settledFrom = now() + TreeGeneration::kUnsettledFor;
    }
}

void ProcessCache::setUmask(int tid, mode_t mask)
{
    const Result<Process*> process = find(tid);
    if (process) {
        (*process)->umask = mask & kStrictestMask;
    }
}

Result<bool> ProcessCache::seesBox(int tid)
{
    REVET_ASSIGN_OR_RETURN(const os::ProcessDirectory process, os::ProcessDirectory::open(tid));
    REVET_ASSIGN_OR_RETURN(const os::FileId root, process.identityOf("root"));
    REVET_ASSIGN_OR_RETURN(const os::FileId mountNamespace, process.identityOf("ns/mnt"));
    if (root != m_boxRoot) {
        return false;
    }
    if (!m_boxMountNamespace) {
        m_boxMountNamespace = mountNamespace;
    }
    return *m_boxMountNamespace == mountNamespace;
}

ProcessTarget::ProcessTarget(const os::Notification& notification, os::NotifyDevice& device,
                             ProcessCache& cache, ProcessCache::Process& process)
    : m_tid(notification.tid)
    , m_notification(notification.id)
    , m_device(device)
    , m_cache(cache)
    , m_process(process)
{
}

template<typename Type>
Result<Type> ProcessTarget::ifStillWaiting(Result<Type> result) const
{
    if (!m_device.isValid(m_notification)) {
        return fail(Error::fromErrno("read a target that went away", ESRCH));
    }
    return result;
}

Result<std::string> ProcessTarget::readString(std::uint64_t address)
{
    return ifStillWaiting(m_process.memory.readString(address, PATH_MAX));
}

Result<void> ProcessTarget::readBytes(std::uint64_t address, std::span<std::byte> into)
{
    return ifStillWaiting(m_process.memory.read(address, into));
}

Result<std::string> ProcessTarget::readLink(const std::string& name)
{
    // The directory stays that of one thread, whoever gets its number; of a dead one nothing can be read.
    if (m_process.directory && m_process.directoryOf == m_tid) {
        Result<std::string> path = m_process.directory->readLink(name.c_str());
        if (path || (path.error().errnoValue != ENOENT && path.error().errnoValue != ESRCH)) {
            return path;
        }
    }
    REVET_ASSIGN_OR_RETURN(m_process.directory, os::ProcessDirectory::open(m_tid));
    m_process.directoryOf = m_tid;
    return m_process.directory->readLink(name.c_str());
}

Result<std::string> ProcessTarget::workingDirectory()
{
    const std::uint64_t generation = m_cache.m_generation.value();
    if (m_process.workingDirectory && m_process.workingDirectoryGeneration == generation) {
        return *m_process.workingDirectory;
    }
    REVET_ASSIGN_OR_RETURN(std::string path, ifStillWaiting(pathBehind(readLink("cwd"), ESRCH)));
    if (m_cache.m_context == ProcessCache::Context::Remembered && m_cache.m_generation.isSettled()
        && now() >= m_process.settledFrom) {
        m_process.workingDirectory = path;
        m_process.workingDirectoryGeneration = generation;
    }
    return path;
}

Result<std::string> ProcessTarget::descriptorPath(int fd)
{
    if (fd < 0) {
        return fail(Error::fromErrno("look at a descriptor of the target", EBADF));
    }
    return ifStillWaiting(pathBehind(readLink("fd/" + std::to_string(fd)), EBADF));
}

Result<UniqueFd> ProcessTarget::duplicateDescriptor(int fd)
{
    return ifStillWaiting(os::duplicateFrom(m_process.handle.descriptor(), fd));
}

mode_t ProcessTarget::fileModeMask()
{
    if (m_process.umask) {
        return *m_process.umask;
    }
    const Result<os::ProcessDirectory> process = os::ProcessDirectory::open(m_tid);
    const Result<os::ProcessStatus> status
        = process ? process->status() : Result<os::ProcessStatus>(fail(process.error()));
    if (!status) {
        return kStrictestMask;
    }
    if (m_cache.m_context == ProcessCache::Context::Remembered) {
        m_process.umask = status->umask;
    }
    return status->umask;
}

std::uint64_t ProcessTarget::fileSizeLimit()
{
    struct rlimit limit
    {
    };
    if (::prlimit(m_tid, RLIMIT_FSIZE, nullptr, &limit) < 0) {
        return 0;
    }
    return limit.rlim_cur;
}

Result<bool> ProcessTarget::hasBoxView()
{
    if (!m_process.seesBox) {
        REVET_ASSIGN_OR_RETURN(m_process.seesBox, ifStillWaiting(m_cache.seesBox(m_tid)));
    }
    return *m_process.seesBox;
}

} // namespace revet::supervisor
