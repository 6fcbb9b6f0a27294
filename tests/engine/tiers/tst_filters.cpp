// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/refused_calls.h"
#include "engine/tiers/compiled_filters.h"
#include "tests/engine/tiers/bpf_machine.h"
#include "tests/support/golden_file.h"
#include "tests/support/tostring.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include <fcntl.h>
#include <linux/audit.h>
#include <sys/socket.h>
#include <sys/syscall.h>

using namespace revet;

namespace {

constexpr int kLastNumber = 600;
constexpr std::uint32_t kX32Bit = 0x40000000;
constexpr std::uint64_t kHigh = 0xffffffff00000000;

using Arguments = std::array<std::uint64_t, 6>;

/// Arguments that a comparison of the wrong width, or of the wrong bits, takes for others.
struct Edge
{
    const char* name;
    Arguments arguments;
};
const std::array kEdges = {
    Edge{"zero", {0, 0, 0, 0, 0, 0}},
    Edge{"high", {kHigh, kHigh, kHigh, kHigh, kHigh, kHigh}},
    Edge{"ones", {~0ULL, ~0ULL, ~0ULL, ~0ULL, ~0ULL, ~0ULL}},
    Edge{"one", {1, 1, 1, 1, 1, 1}},
    Edge{"one+high", {kHigh | 1, kHigh | 1, kHigh | 1, kHigh | 1, kHigh | 1, kHigh | 1}},
};

std::string nameOf(std::uint32_t answer)
{
    const std::uint32_t data = answer & SECCOMP_RET_DATA;
    switch (answer & SECCOMP_RET_ACTION_FULL) {
    case SECCOMP_RET_ALLOW:
        return "allow";
    case SECCOMP_RET_USER_NOTIF:
        return "notify";
    case SECCOMP_RET_KILL_PROCESS:
        return "kill";
    case SECCOMP_RET_ERRNO:
        return ::strerrorname_np(static_cast<int>(data));
    default:
        return "odd " + std::to_string(answer);
    }
}

/// Both programs as the kernel takes them together: the action of the lowest (signed) value.
std::string answerOf(const tiers::CompiledFilters& filters, std::uint32_t architecture, std::uint32_t number,
                     const Arguments& arguments)
{
    seccomp_data data{};
    data.nr = static_cast<int>(number);
    data.arch = architecture;
    std::copy(arguments.begin(), arguments.end(), std::begin(data.args));
    const auto known = test::runFilter(filters.known, data);
    const auto judged = test::runFilter(filters.judged, data);
    if (!known || !judged) {
        return "unloadable";
    }
    const auto actionOf
        = [](std::uint32_t answer) { return static_cast<std::int32_t>(answer & SECCOMP_RET_ACTION_FULL); };
    return nameOf(actionOf(*known) <= actionOf(*judged) ? *known : *judged);
}

std::string native(const tiers::CompiledFilters& filters, long number, const Arguments& arguments)
{
    return answerOf(filters, AUDIT_ARCH_X86_64, static_cast<std::uint32_t>(number), arguments);
}

/// "allow", or "zero=allow ones=notify" where the arguments make a difference.
std::string answersOf(const tiers::CompiledFilters& filters, std::uint32_t architecture, std::uint32_t number)
{
    std::string text;
    std::string first;
    bool isSame = true;
    for (const Edge& edge : kEdges) {
        const std::string answer = answerOf(filters, architecture, number, edge.arguments);
        first = first.empty() ? answer : first;
        isSame = isSame && answer == first;
        text += (text.empty() ? "" : " ") + std::string(edge.name) + '=' + answer;
    }
    return isSame ? first : text;
}

/// Runs of numbers with the same answers, a line each.
std::string tableOf(const tiers::CompiledFilters& filters)
{
    std::string text;
    for (const auto& [name, architecture, bit] :
         {std::tuple("native", std::uint32_t{AUDIT_ARCH_X86_64}, 0U),
          std::tuple("i386", std::uint32_t{AUDIT_ARCH_I386}, 0U),
          std::tuple("x32", std::uint32_t{AUDIT_ARCH_X86_64}, kX32Bit)}) {
        std::uint32_t begin = 0;
        std::string running = answersOf(filters, architecture, bit);
        for (std::uint32_t number = 1; number <= kLastNumber + 1; ++number) {
            const std::string answers
                = number > kLastNumber ? std::string() : answersOf(filters, architecture, number | bit);
            if (answers != running) {
                const std::uint32_t end = number - 1;
                text += std::string(name) + ' ' + std::to_string(begin)
                    + (begin == end ? "" : "-" + std::to_string(end)) + ' ' + running + '\n';
                begin = number;
                running = answers;
            }
        }
    }
    return text;
}

} // namespace

/// SECURITY.md E101: the filters as the kernel would run them, call by call.
class FiltersTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void answerEveryCallAsTheGoldenTableSays_data() { addFilterRows(); }
    void answerEveryCallAsTheGoldenTableSays()
    {
        const std::string name = QTest::currentDataTag();
        const std::string difference
            = test::differenceFromGolden("filter-" + name + ".txt", tableOf(fetch()));
        QVERIFY2(difference.empty(), difference.c_str());
    }

    void tellTheSupervisorOfEveryRefusedCall_data() { addFilterRows(); }
    void tellTheSupervisorOfEveryRefusedCall()
    {
        const tiers::CompiledFilters filters = fetch();
        for (const policy::RefusedCall& call : policy::refusedCalls()) {
            for (const Edge& edge : kEdges) {
                Arguments arguments = edge.arguments;
                for (const auto& test : call.when.tests) {
                    arguments.at(test.index) = (arguments.at(test.index) & ~test.mask) | test.value;
                }
                const std::string answer = native(filters, call.when.syscallNumber, arguments);
                QVERIFY2(answer == "notify",
                         (std::string(call.name) + ' ' + edge.name + ' ' + answer).c_str());
            }
        }
    }

    void endWhoeverUsesAnotherArchitecture_data() { addFilterRows(); }
    void endWhoeverUsesAnotherArchitecture()
    {
        const tiers::CompiledFilters filters = fetch();
        for (std::uint32_t number = 0; number <= kLastNumber; ++number) {
            for (const Edge& edge : kEdges) {
                for (const std::uint32_t other :
                     {std::uint32_t{AUDIT_ARCH_I386}, std::uint32_t{AUDIT_ARCH_AARCH64}, 0U}) {
                    QCOMPARE(answerOf(filters, other, number, edge.arguments), "kill");
                }
                QCOMPARE(answerOf(filters, AUDIT_ARCH_X86_64, number | kX32Bit, edge.arguments), "kill");
            }
        }
    }

    void offerFourSocketFamiliesWhateverTheHighBits_data() { addFilterRows(); }
    void offerFourSocketFamiliesWhateverTheHighBits()
    {
        const tiers::CompiledFilters filters = fetch();
        for (const std::uint64_t high : {std::uint64_t{0}, kHigh}) {
            // Beyond what any kernel has so far, and as a negative int.
            std::vector<std::uint64_t> families{1000, 1U << 16U, 0xffffffffU, 0x80000001U};
            for (std::uint64_t family = 0; family < 256; ++family) {
                families.push_back(family);
            }
            for (const std::uint64_t family : families) {
                const bool isOffered
                    = family == AF_UNIX || family == AF_INET || family == AF_INET6 || family == AF_NETLINK;
                for (const long call : {SYS_socket, SYS_socketpair}) {
                    const std::string answer
                        = native(filters, call, {high | family, SOCK_STREAM | SOCK_CLOEXEC, 0, 0, 0, 0});
                    QVERIFY2(isOffered ? answer == "allow" : answer == "EAFNOSUPPORT" || answer == "notify",
                             (std::to_string(family) + ' ' + answer).c_str());
                }
            }
            for (const std::uint64_t family : {std::uint64_t{AF_INET}, std::uint64_t{AF_INET6}}) {
                QCOMPARE(native(filters, SYS_socket, {high | family, high | SOCK_RAW, 0, 0, 0, 0}), "notify");
                QCOMPARE(native(filters, SYS_socket, {high | family, SOCK_STREAM, high | 262, 0, 0, 0}),
                         "EPROTONOSUPPORT");
            }
        }
    }

private:
    static void addFilterRows()
    {
        QTest::addColumn<int>("tier");
        QTest::addColumn<int>("level");
        for (const Tier tier : {Tier::Sandbox, Tier::Container}) {
            for (const auto& [name, level] :
                 {std::pair("full", ObserveLevel::Full), std::pair("writes", ObserveLevel::Writes),
                  std::pair("exec", ObserveLevel::Exec)}) {
                QTest::addRow("%s-%s", std::string(toString(tier)).c_str(), name)
                    << static_cast<int>(tier) << static_cast<int>(level);
            }
        }
    }
    static tiers::CompiledFilters fetch()
    {
        const auto value = [](const char* column) {
            return *static_cast<const int*>(QTest::qData(column, qMetaTypeId<int>()));
        };
        return tiers::compiledFilters(static_cast<Tier>(value("tier")),
                                      static_cast<ObserveLevel>(value("level")));
    }
};

REVET_GOLDEN_MAIN(FiltersTest)
#include "tst_filters.moc"
