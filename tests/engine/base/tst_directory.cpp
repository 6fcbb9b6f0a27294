// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/base/directory.h"

#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <cerrno>
#include <cstddef>
#include <fstream>
#include <set>
#include <string>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace revet::test {

namespace fs = std::filesystem;

namespace {

/// From now on no directory of this process can be read any further.
bool breakReading()
{
    std::array<sock_filter, 4> program = {{
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getdents64, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EIO),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    }};
    const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
        && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

} // namespace

// NOLINTNEXTLINE(misc-use-internal-linkage)
class DirectoryTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_path = m_folder->path().toStdString();
        for (const char* const name : {"a", "b", "c"}) {
            std::ofstream(m_path / name) << name;
        }
    }

    void visitsEachEntry()
    {
        std::set<std::string> names;
        QVERIFY(forEachEntry(m_path, [&](const fs::directory_entry& entry) {
            return names.insert(entry.path().filename().string()).second;
        }));
        QCOMPARE(names, (std::set<std::string>{"a", "b", "c"}));
    }

    void stopsWhenToldTo()
    {
        int visited = 0;
        QVERIFY(forEachEntry(m_path, [&](const fs::directory_entry&) { return ++visited < 2; }));
        QCOMPARE(visited, 2);
    }

    void failsWhereThereIsNoDirectory()
    {
        const auto missing = forEachEntry(m_path / "none", [](const fs::directory_entry&) { return true; });
        QVERIFY(!missing);
        QCOMPARE(missing.error().errnoValue, ENOENT);
    }

    void failsWhereReadingFailsLater()
    {
        constexpr int kFailedAsItShould = 7;
        const pid_t reader = ::fork();
        if (reader == 0) {
            const auto read = forEachEntry(m_path, [](const fs::directory_entry&) { return breakReading(); });
            ::_exit(!read && read.error().errnoValue == EIO ? kFailedAsItShould : 1);
        }
        int status = 0;
        QCOMPARE(::waitpid(reader, &status, 0), reader);
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), kFailedAsItShould);
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_path;
};

} // namespace revet::test

QTEST_APPLESS_MAIN(revet::test::DirectoryTest)
#include "tst_directory.moc"
