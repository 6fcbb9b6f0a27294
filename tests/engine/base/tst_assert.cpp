// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/base/assert.h"
#include "engine/base/unique_fd.h"
#include "tests/support/tostring.h"

#include <QTest>

#include <array>
#include <csignal>
#include <string>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace revet::test {

namespace {

struct Ending
{
    int status = -1; ///< as wait(2) gives it
    std::string said; ///< on standard error
};

/// How a child ends that asserts `promise`.
Ending endingOf(bool promise)
{
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) {
        return {};
    }
    const UniqueFd from(pipe[0]);
    UniqueFd to(pipe[1]);
    const pid_t child = ::fork();
    if (child == 0) {
        // Qt Test's own handler would start a debugger.
        static_cast<void>(std::signal(SIGABRT, SIG_DFL));
        ::dup2(to.get(), STDERR_FILENO);
        REVET_ASSERT(promise);
        ::_exit(0);
    }
    to.reset();
    Ending ending;
    std::array<char, 512> buffer{};
    const ssize_t size = ::read(from.get(), buffer.data(), buffer.size());
    ending.said.assign(buffer.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
    ::waitpid(child, &ending.status, 0);
    return ending;
}

} // namespace

class AssertTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void passesWhenThePromiseIsKept()
    {
        const Ending ending = endingOf(true);
        QCOMPARE(ending.status, 0);
        QCOMPARE(ending.said, "");
    }

    void abortsInEveryBuildAndSaysWhere()
    {
        const Ending ending = endingOf(false);
        QVERIFY(WIFSIGNALED(ending.status));
        QCOMPARE(WTERMSIG(ending.status), SIGABRT);
        QVERIFY2(ending.said.find("promise (" __FILE__ ":") != std::string::npos, ending.said.c_str());
    }
};

} // namespace revet::test

QTEST_APPLESS_MAIN(revet::test::AssertTest)
#include "tst_assert.moc"
