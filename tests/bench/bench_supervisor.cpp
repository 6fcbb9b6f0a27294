// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// bench_supervisor [DIRECTORY] [ROUNDS]: what a trapped open costs beyond the kernel's own part, with no box
// around it: against the same program without a filter, and against a supervisor that answers and does
// nothing else. Only differences and ratios of one run count; "own CPU" is of the answering thread alone.

#include "engine/journal/journal_writer.h"
#include "engine/observe/coalescer.h"
#include "engine/observe/process_tree.h"
#include "engine/os/pidfd.h"
#include "engine/supervisor/supervisor.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using revet::UniqueFd;
using Steady = std::chrono::steady_clock;
using Serve = std::function<void(revet::os::NotifyDevice&)>;

constexpr int kFiles = 20;
constexpr int kOpensEach = 20'000;
constexpr int kPrograms = 4;

template<typename Value>
Value must(revet::Result<Value> result)
{
    if (!result) {
        static_cast<void>(std::fprintf(stderr, "bench_supervisor: %s\n", toString(result.error()).c_str()));
        ::_exit(1);
    }
    return std::move(*result);
}

/// Traps every openat(2); the number of the listener, or -1.
int trapOpens()
{
    std::array program{
        sock_filter{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
        sock_filter{BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_openat},
        sock_filter{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_USER_NOTIF},
        sock_filter{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
    };
    const sock_fprog filter{program.size(), program.data()};
    constexpr unsigned kWaitKillable = 1U << 5U; // SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return static_cast<int>(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                                      SECCOMP_FILTER_FLAG_NEW_LISTENER | kWaitKillable, &filter));
}

/// Forked: runs `programs` children that open and close, behind a filter if `trap`, and ends.
[[noreturn]] void runPrograms(const std::filesystem::path& directory, int flags, int programs, int starter,
                              bool trap)
{
    std::vector<std::string> names;
    for (int file = 0; file < kFiles; ++file) {
        names.push_back("file-of-the-benchmark-" + std::to_string(file));
        ::close(::open((directory / names.back()).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    }
    if (::chdir(directory.c_str()) != 0) {
        ::_exit(1);
    }
    const int listener = trap ? trapOpens() : -1;
    char end = 0; // comes when the listener has been taken
    if (::write(starter, &listener, sizeof listener) != sizeof listener || ::read(starter, &end, 1) != 0) {
        ::_exit(1);
    }
    for (int program = 0; program < programs; ++program) {
        if (::fork() == 0) {
            ::close(listener);
            for (int i = 0; i < kOpensEach; ++i) {
                ::close(::open(names[static_cast<std::size_t>(i % kFiles)].c_str(), flags));
            }
            ::_exit(0);
        }
    }
    ::close(listener);
    while (::wait(nullptr) > 0) { }
    ::_exit(0);
}

struct Cost
{
    double wall = 0; ///< ns an open
    double own = 0; ///< ns of CPU of the answering thread an open
};

Cost measure(const std::filesystem::path& directory, int flags, int programs, const Serve& serve)
{
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        ::_exit(1);
    }
    UniqueFd near(ends[0]);
    UniqueFd far(ends[1]);
    const pid_t child = ::fork();
    if (child == 0) {
        near.reset();
        runPrograms(directory, flags | O_CLOEXEC, programs, far.get(), serve != nullptr);
    }
    far.reset();
    int number = -1;
    if (::read(near.get(), &number, sizeof number) != sizeof number || (serve && number < 0)) {
        static_cast<void>(std::fputs("bench_supervisor: no listener\n", stderr));
        ::_exit(1);
    }
    const auto start = Steady::now();
    timespec own{};
    if (!serve) {
        near.reset();
    } else {
        const UniqueFd handle = must(revet::os::openPidFd(child));
        revet::os::SeccompNotifyDevice device(must(revet::os::duplicateFrom(handle.get(), number)));
        near.reset();
        std::thread([&] {
            serve(device);
            ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &own);
        }).join();
    }
    ::waitpid(child, nullptr, 0);
    const double opens = static_cast<double>(kOpensEach) * programs;
    const std::chrono::duration<double, std::nano> wall = Steady::now() - start;
    return {wall.count() / opens,
            (static_cast<double>(own.tv_sec) * 1e9 + static_cast<double>(own.tv_nsec)) / opens};
}

/// What revet-session puts behind its supervisor.
class Record final : public revet::supervisor::FactSink
{
public:
    explicit Record(const std::filesystem::path& file)
        : m_journal(must(revet::journal::JournalWriter::create(file, session(), {})))
        , m_processes(m_clock, [this](const revet::ProcessRecord& record) { m_journal->update(record); })
        , m_coalescer(m_clock, [this](revet::Event event) { m_journal->append(std::move(event)); })
        , m_releaser([this] {
            while (m_coalescer.flushWhenDue()) { }
        })
    {
    }
    ~Record() override { m_coalescer.stop(); }
    Record(const Record&) = delete;
    Record& operator=(const Record&) = delete;
    Record(Record&&) = delete;
    Record& operator=(Record&&) = delete;
    void record(int tid, revet::Fact fact) override
    {
        m_coalescer.add(m_processes.sighted(tid), std::move(fact));
    }
    [[nodiscard]] bool canRecord() const override { return m_journal->takesRows(); }
    void aboutToExec(int /*tid*/) override { }
    void aboutToExit(int /*tid*/, std::int32_t /*waitStatus*/) override { }

private:
    static revet::SessionInfo session()
    {
        revet::SessionInfo info;
        info.id = must(revet::SessionId::parse("k3f9q2"));
        info.started = revet::SystemClock().now();
        return info;
    }
    revet::SystemClock m_clock;
    std::unique_ptr<revet::journal::JournalWriter> m_journal;
    revet::observe::ProcessTree m_processes;
    revet::observe::Coalescer m_coalescer;
    std::jthread m_releaser;
};

void answerOnly(revet::os::NotifyDevice& device)
{
    for (auto next = device.receive(); next && *next; next = device.receive()) {
        device.answerContinue((*next)->id);
    }
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

} // namespace

int main(int argc, char** argv)
{
    const std::filesystem::path given = argc > 1 ? argv[1] : ".";
    const int rounds = argc > 2 ? std::stoi(argv[2]) : 5;
    const auto directory = std::filesystem::canonical(given) / ("bench-" + std::to_string(::getpid()));
    std::filesystem::create_directories(directory / "project");

    const revet::policy::RunLaterTable runLater;
    int journals = 0;
    const Serve supervised = [&](revet::os::NotifyDevice& device) {
        Record record(directory / ("journal" + std::to_string(++journals) + ".db"));
        revet::supervisor::BoxView box;
        box.outerRoot.reset(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
        box.roots.emplace_back().path = directory / "project";
        if (!revet::supervisor::Supervisor(std::move(box), {record, runLater}).serve(device)) {
            std::puts("the listener failed; the row below means nothing");
        }
    };
    struct Case
    {
        const char* name;
        int flags;
        int programs;
        Serve serve;
    };
    const std::vector<Case> cases{
        {"no filter", O_RDONLY, 1, nullptr},
        {"answered only", O_RDONLY, 1, answerOnly},
        {"observed", O_RDONLY, 1, supervised},
        {"brokered for writing", O_WRONLY, 1, supervised},
        {"4 programs, no filter", O_RDONLY, kPrograms, nullptr},
        {"4 programs, answered only", O_RDONLY, kPrograms, answerOnly},
        {"4 programs, observed", O_RDONLY, kPrograms, supervised},
    };
    std::map<std::string, std::vector<double>> walls;
    std::map<std::string, std::vector<double>> owns;
    for (int round = 0; round < rounds; ++round) {
        for (const Case& each : cases) {
            const Cost cost = measure(directory / "project", each.flags, each.programs, each.serve);
            walls[each.name].push_back(cost.wall);
            owns[each.name].push_back(cost.own);
        }
    }
    std::printf("%-28s %12s %12s %12s   (medians of %d)\n", "", "ns an open", "opens/s", "own CPU ns",
                rounds);
    for (const Case& each : cases) {
        const double wall = median(walls[each.name]);
        std::printf("%-28s %12.0f %12.0f %12.0f\n", each.name, wall, 1e9 / wall, median(owns[each.name]));
    }
    std::filesystem::remove_all(directory);
    return 0;
}
