// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/os/seccomp_notify.h"
#include "engine/os/uapi.h"
#include "tests/support/tostring.h"

#include <QTest>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <future>
#include <thread>
#include <vector>

#include <linux/filter.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace revet;

namespace {

constexpr int kCallers = 4;
constexpr int kCalls = 2'000;

/// Traps getppid(2) for the calling thread and those that it starts.
[[nodiscard]] UniqueFd trapParentQuestions()
{
    std::array program{
        sock_filter{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
        sock_filter{BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_getppid},
        sock_filter{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_USER_NOTIF},
        sock_filter{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
    };
    const sock_fprog filter{program.size(), program.data()};
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return UniqueFd(static_cast<int>(
        ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                  SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &filter)));
}

/// Asks over and over; how many answers were not the own one.
[[nodiscard]] int wrongAnswers()
{
    const long tid = ::syscall(SYS_gettid);
    int wrong = 0;
    for (int i = 0; i < kCalls; ++i) {
        errno = 0;
        const long answer = ::syscall(SYS_getppid, tid, i);
        wrong += (i % 2 == 0 ? answer == tid : answer == -1 && errno == EDOM) ? 0 : 1;
    }
    return wrong;
}

} // namespace

class SeccompNotifyTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void answersCallersOnAllCores();
};

/// With callers that queue and callers that find the receiver asleep, each is woken in another way.
void SeccompNotifyTest::answersCallersOnAllCores()
{
    std::promise<UniqueFd> listener;
    std::atomic<int> wrong = 0;
    std::thread box([&] {
        listener.set_value(trapParentQuestions());
        std::vector<std::thread> callers;
        for (int i = 0; i < kCallers; ++i) {
            callers.emplace_back([&] { wrong += wrongAnswers(); });
        }
        for (std::thread& caller : callers) {
            caller.join();
        }
    });
    UniqueFd received = listener.get_future().get();
    const bool hasListener = received.isOpen();
    int count = 0;
    bool hasFailed = false;
    if (hasListener) {
        os::SeccompNotifyDevice device(std::move(received));
        for (; count < kCallers * kCalls && !hasFailed; ++count) {
            const auto next = device.receive();
            hasFailed = !next || !*next || !device.isValid((*next)->id);
            if (!hasFailed) {
                const os::Notification& call = **next;
                call.arguments[1] % 2 == 0
                    ? device.answerValue(call.id, static_cast<std::int64_t>(call.arguments[0]))
                    : device.answerError(call.id, EDOM);
            }
        }
    }
    box.join(); // with its device gone the kernel refuses what still comes
    QVERIFY(hasListener);
    QVERIFY(!hasFailed);
    QCOMPARE(count, kCallers * kCalls);
    QCOMPARE(wrong.load(), 0);
}

QTEST_GUILESS_MAIN(SeccompNotifyTest)
#include "tst_seccomp_notify.moc"
