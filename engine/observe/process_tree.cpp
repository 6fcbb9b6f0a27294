// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/observe/process_tree.h"

#include "engine/base/assert.h"
#include "engine/observe/process_facts.h"
#include "engine/os/proc_fs.h"
#include "engine/os/process_handle.h"

#include <array>
#include <cerrno>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace revet::observe {
namespace {

constexpr std::size_t kThreadsMaximum = 65536;
constexpr std::size_t kChildrenMaximum = 256; ///< of one ending process
constexpr int kAncestorsMaximum = 64; ///< unseen ones that are taken up with their descendant
constexpr std::uint64_t kStopToken = 0; ///< no process has this number

} // namespace

class ProcessTree::Private
{
public:
    struct Node
    {
        ProcessRecord record;
        os::ProcessHandle handle;
        std::uint64_t token = 0; ///< its first number: that of the process in the epoll set
        int replacingThread = 0; ///< the one that is about to run another program, or 0
        std::optional<std::int32_t> exitStatus; ///< what exit_group said
    };
    using News = std::vector<ProcessRecord>;

    Private(const Clock& source, Listener tell)
        : clock(source)
        , listener(std::move(tell))
        , epoll(::epoll_create1(EPOLL_CLOEXEC))
        , stopping(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
    {
        epoll_event event{EPOLLIN, {}};
        event.data.u64 = kStopToken;
        REVET_ASSERT(epoll && stopping
                     && ::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, stopping.get(), &event) == 0);
    }

    Node* find(int tid);
    Node* learn(os::ProcessHandle handle, int ancestorsLeft);
    void learnChildren(int pid);
    void finishExec(Node& node, int tid);
    void end(Node& node);
    /// Without `mutex` held. In the order in which it came about: a record that is told late must not replace
    /// the one that says how the process ended.
    void tell()
    {
        const std::lock_guard order(telling);
        News told;
        {
            const std::lock_guard lock(mutex);
            told = std::exchange(news, {});
        }
        for (const ProcessRecord& record : told) {
            listener(record);
        }
    }

    const Clock& clock;
    const Listener listener;
    UniqueFd epoll;
    UniqueFd stopping;
    std::mutex telling; ///< taken before `mutex`
    std::mutex mutex; ///< guards what follows
    News news; ///< not told yet
    std::uint32_t lastNumber = 0;
    std::unordered_map<int, std::unique_ptr<Node>> processes; ///< living ones by pid
    /// Also of processes that have ended, until the number is asked about or there is no room.
    std::unordered_map<int, os::ThreadOwner> threads;
    std::unordered_map<std::uint64_t, int> pids; ///< token of a living one -> pid
};

/// The node of a waiting thread, taken up where it is new; nullptr where it has gone.
ProcessTree::Private::Node* ProcessTree::Private::find(int tid)
{
    const auto thread = threads.find(tid);
    if (thread != threads.end()) {
        const auto process = processes.find(thread->second.pid());
        if (process != processes.end()
            && thread->second.isStill(process->second->handle, tid, clock.steadyNow())) {
            return process->second.get();
        }
        threads.erase(thread);
    }
    Result<os::ProcessHandle> handle = os::ProcessHandle::ofThread(tid);
    Node* const node = handle ? learn(std::move(*handle), kAncestorsMaximum) : nullptr;
    if (node != nullptr) {
        if (threads.size() >= kThreadsMaximum) {
            threads.clear();
        }
        threads.emplace(tid, os::ThreadOwner(node->record.pid, clock.steadyNow()));
    }
    return node;
}

ProcessTree::Private::Node* ProcessTree::Private::learn(os::ProcessHandle handle, int ancestorsLeft)
{
    const int pid = handle.pid();
    const auto known = processes.find(pid);
    if (known != processes.end()) {
        if (known->second->handle.isAlive()) {
            return known->second.get();
        }
        end(*known->second); // the number went to another process
    }
    Result<ProcessFacts> facts = readProcessFacts(pid);
    if (!facts || !handle.isAlive()) {
        return nullptr; // what was read is of another process
    }
    auto node = std::make_unique<Node>(Node{std::move(facts->record), std::move(handle), 0, 0, {}});
    node->record.started = clock.now();
    if (processes.contains(facts->parentPid) || (ancestorsLeft > 0 && isBoxProcess(facts->parentPid))) {
        Result<os::ProcessHandle> parent = os::ProcessHandle::ofThread(facts->parentPid);
        const Node* const parentNode = parent ? learn(std::move(*parent), ancestorsLeft - 1) : nullptr;
        node->record.parent = parentNode == nullptr ? ProcessNumber() : parentNode->record.number;
    }
    node->record.number = ProcessNumber(++lastNumber);
    node->token = node->record.number.value();
    epoll_event event{EPOLLIN, {}};
    event.data.u64 = node->token;
    static_cast<void>(::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, node->handle.descriptor(), &event));
    pids[node->token] = pid;
    news.push_back(node->record);
    return (processes[pid] = std::move(node)).get();
}

void ProcessTree::Private::learnChildren(int pid)
{
    const Result<os::ProcessDirectory> process = os::ProcessDirectory::open(pid);
    for (const int child : process ? process->children(kChildrenMaximum) : std::vector<int>()) {
        if (processes.contains(child)) {
            continue;
        }
        if (Result<os::ProcessHandle> handle = os::ProcessHandle::ofThread(child)) {
            learn(std::move(*handle), 0);
        }
    }
}

/// Reads what an exec has replaced, once it is over. The program gets a number of its own, with the one
/// before it as its parent, so that what each has done keeps its name.
void ProcessTree::Private::finishExec(Node& node, int tid)
{
    if (node.replacingThread == 0) {
        return;
    }
    ProcessRecord record = node.record;
    readProgram(record);
    const bool isSame = record.exe == node.record.exe && record.argv == node.record.argv;
    if (!isSame || tid == node.replacingThread) { // else another thread, and the exec may still be to come
        node.replacingThread = 0;
    }
    if (isSame) {
        return; // it failed, or it runs the same once more
    }
    if (!node.record.exe.empty()) { // the launcher, which nobody may look at, is no program of the box
        record.parent = node.record.number;
        record.number = ProcessNumber(++lastNumber);
        record.started = clock.now();
    }
    node.record = std::move(record);
    news.push_back(node.record);
}

void ProcessTree::Private::end(Node& node)
{
    ProcessRecord record = std::move(node.record);
    record.ended = clock.now();
    record.waitStatus = waitStatusAfterEnd(record, node.handle.descriptor());
    if (!record.waitStatus) {
        record.waitStatus = node.exitStatus;
    }
    pids.erase(node.token);
    processes.erase(record.pid); // closes the descriptor, which leaves the epoll set by that
    news.push_back(std::move(record));
}

ProcessTree::ProcessTree(const Clock& clock, Listener listener)
    : d(std::make_unique<Private>(clock, std::move(listener)))
{
}

ProcessTree::~ProcessTree() = default;

ProcessNumber ProcessTree::sighted(int tid)
{
    ProcessNumber number;
    bool hasNews = false;
    {
        const std::lock_guard lock(d->mutex);
        if (Private::Node* const node = d->find(tid)) {
            d->finishExec(*node, tid);
            number = node->record.number;
        }
        hasNews = !d->news.empty();
    }
    if (hasNews) {
        d->tell();
    }
    return number;
}

void ProcessTree::aboutToExec(int tid)
{
    {
        const std::lock_guard lock(d->mutex);
        if (Private::Node* const node = d->find(tid)) {
            node->replacingThread = tid;
        }
    }
    d->tell();
}

void ProcessTree::aboutToExit(int tid, std::int32_t waitStatus)
{
    {
        const std::lock_guard lock(d->mutex);
        if (Private::Node* const node = d->find(tid)) {
            d->finishExec(*node, tid);
            node->exitStatus = waitStatus;
            d->learnChildren(node->record.pid);
        }
    }
    d->tell();
}

bool ProcessTree::waitForExits()
{
    std::array<epoll_event, 64> events{};
    const int count = ::epoll_wait(d->epoll.get(), events.data(), static_cast<int>(events.size()), -1);
    if (count < 0) {
        return errno == EINTR;
    }
    bool isStopping = false; // epoll tells in the order of happening, so earlier ends come before it
    {
        const std::lock_guard lock(d->mutex);
        for (int i = 0; i < count; ++i) {
            const std::uint64_t token = events.at(static_cast<std::size_t>(i)).data.u64;
            isStopping = isStopping || token == kStopToken;
            const auto pid = d->pids.find(token);
            if (pid != d->pids.end()) {
                d->end(*d->processes.at(pid->second));
            }
        }
    }
    d->tell();
    return !isStopping;
}

void ProcessTree::stop()
{
    const std::uint64_t one = 1;
    static_cast<void>(::write(d->stopping.get(), &one, sizeof one));
}

} // namespace revet::observe
