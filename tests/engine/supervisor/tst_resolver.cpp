// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/resolver.h"
#include "tests/engine/supervisor/own_calls.h"
#include "tests/support/temp_home.h"
#include "tests/support/tostring.h"

#include <QTest>

#include <filesystem>

using namespace revet;
using supervisor::PathArgument;
using supervisor::Sighting;
using State = supervisor::Sighting::State;

/// The box's tree is a directory; the host is the machine that the test runs on.
class ResolverTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void normalizesText_data();
    void normalizesText();
    void makesClaimsAbsolute();
    void putsInTheCallersOwnLinks();
    void followsLinksInsideTheBoxOnly();
    void remembersUntilSomethingMoves();
    void tellsWithheldFromMissing();
    void doesNotCallSharedPlacesWithheld();
    void keepsALastLinkWhereAsked();
    void findsMountsThatMayBlock();

private:
    [[nodiscard]] std::string claimed(int directory, const std::string& path)
    {
        const os::Notification notification{1, test::ownThread(), 0, {}};
        test::OwnTarget own(notification);
        return m_resolver->claimedPath(own.target, {directory, path, false}).value_or("?");
    }

    std::unique_ptr<test::TempHome> m_home;
    supervisor::BoxView m_box;
    supervisor::HostView m_host;
    supervisor::TreeGeneration m_generation;
    std::unique_ptr<supervisor::Resolver> m_resolver;
};

void ResolverTest::init()
{
    m_home = std::make_unique<test::TempHome>();
    const std::filesystem::path tree = m_home->project();
    test::writeFile(tree / "usr/include/a.h", "");
    test::writeFile(tree / "work/file", "");
    m_box = {};
    m_box.outerRoot.reset(::open(tree.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    m_box.sharedPrefixes = {"/usr"};
    m_resolver = std::make_unique<supervisor::Resolver>(m_box, m_host, m_generation);
}

void ResolverTest::normalizesText_data()
{
    QTest::addColumn<QByteArray>("path");
    QTest::addColumn<QByteArray>("clean");
    QTest::newRow("clean") << QByteArray("/a/b") << QByteArray("/a/b");
    QTest::newRow("dots and slashes") << QByteArray("//a/./b//c/../d/") << QByteArray("/a/b/d");
    QTest::newRow("above the root") << QByteArray("/../../a") << QByteArray("/a");
    QTest::newRow("nothing left") << QByteArray("/a/..") << QByteArray("/");
}

void ResolverTest::normalizesText()
{
    QFETCH(const QByteArray, path);
    QFETCH(const QByteArray, clean);
    QCOMPARE(supervisor::normalized(path.toStdString()), clean.toStdString());
}

void ResolverTest::makesClaimsAbsolute()
{
    const std::string here = std::filesystem::current_path();
    const UniqueFd directory(::open("/usr", O_PATH | O_CLOEXEC));
    QCOMPARE(claimed(AT_FDCWD, "/a"), std::string("/a"));
    QCOMPARE(claimed(AT_FDCWD, "a/b"), here + "/a/b");
    QCOMPARE(claimed(directory.get(), "lib"), std::string("/usr/lib"));
    QCOMPARE(claimed(directory.get(), "/lib"), std::string("/lib"));
    QCOMPARE(claimed(9999, "lib"), std::string("?"));
}

void ResolverTest::putsInTheCallersOwnLinks()
{
    const std::string here = std::filesystem::current_path();
    const UniqueFd directory(::open("/usr", O_PATH | O_CLOEXEC));
    const std::string number = std::to_string(directory.get());
    QCOMPARE(claimed(AT_FDCWD, "/proc/self/fd/" + number + "/lib"), std::string("/usr/lib"));
    QCOMPARE(claimed(AT_FDCWD, "/dev/fd/" + number), std::string("/usr"));
    QCOMPARE(claimed(AT_FDCWD, "/proc/thread-self/cwd/x"), here + "/x");
    QCOMPARE(claimed(AT_FDCWD, "/proc/self/root/x"), std::string("/x"));
    QCOMPARE(claimed(AT_FDCWD, "/proc/self/exe"), std::filesystem::read_symlink("/proc/self/exe").string());
    QCOMPARE(claimed(AT_FDCWD, "/proc/self/fd/1x"), std::string("/proc/self/fd/1x"));
    // Others' links, which procfs of the box follows, and other ways to write them.
    const std::string self = std::to_string(::getpid());
    QCOMPARE(claimed(AT_FDCWD, "/proc/" + self + "/cwd/x"), here + "/x");
    QCOMPARE(claimed(AT_FDCWD, "/proc/1/../" + self + "/root/x"), std::string("/x"));
    QCOMPARE(claimed(AT_FDCWD, "//proc/./self/task/" + self + "/fd/" + number + "/lib"),
             std::string("/usr/lib"));
    QCOMPARE(claimed(AT_FDCWD, "/proc/0/cwd/x"), std::string("/proc/0/cwd/x"));
    const UniqueFd proc(::open("/proc", O_PATH | O_CLOEXEC));
    QCOMPARE(claimed(proc.get(), self + "/cwd/x"), here + "/x");
    QCOMPARE(claimed(AT_FDCWD, "/proc/self/maps"), std::string("/proc/self/maps"));
}

void ResolverTest::followsLinksInsideTheBoxOnly()
{
    std::filesystem::create_symlink("/usr/include/a.h", m_home->project() / "absolute");
    std::filesystem::create_symlink("../../../../../../etc/passwd", m_home->project() / "climbing");
    const std::string root = m_home->project();
    QCOMPARE(m_resolver->lookForReading("/absolute").path, root + "/usr/include/a.h");
    QVERIFY(m_resolver->lookForReading("/climbing").state != State::Exists);
}

void ResolverTest::remembersUntilSomethingMoves()
{
    QCOMPARE(m_resolver->lookForReading("/work/../work/file").path, std::string("/work/file"));
    std::filesystem::remove(m_home->project() / "work/file");
    QCOMPARE(m_resolver->lookForReading("/work/../work/file").state, State::Exists);
    m_generation.advance();
    QVERIFY(m_resolver->lookForReading("/work/../work/file").state != State::Exists);
    test::writeFile(m_home->project() / "work/file", "");
    QCOMPARE(m_resolver->lookForReading("/work/../work/file").state, State::Exists);
}

void ResolverTest::tellsWithheldFromMissing()
{
    const Sighting withheld = m_resolver->lookForReading("/etc/passwd");
    QCOMPARE(withheld.state, State::Withheld);
    QCOMPARE(withheld.path, std::string("/etc/passwd"));
    QCOMPARE(withheld.errnoValue, ENOENT);
    QCOMPARE(m_resolver->lookForReading("/etc/no such file").state, State::Missing);
}

void ResolverTest::doesNotCallSharedPlacesWithheld()
{
    QCOMPARE(m_resolver->lookForReading("/usr/bin/env").state, State::Missing);
    QCOMPARE(m_resolver->lookForReading("/dev/tty").state, State::Exists);
}

void ResolverTest::keepsALastLinkWhereAsked()
{
    std::filesystem::create_symlink("file", m_home->project() / "work/link");
    using Last = supervisor::Resolver::LastComponent;
    QVERIFY(S_ISLNK(m_resolver->look("/work/link", Last::Keep).sighting.mode));
    QVERIFY(S_ISREG(m_resolver->look("/work/link", Last::Follow).sighting.mode));
}

void ResolverTest::findsMountsThatMayBlock()
{
    const std::string text = "36 35 98:0 / /mnt rw,noatime master:1 - ext3 /dev/root rw\n"
                             "37 35 0:50 / /home/u/a\\040b rw shared:2 - fuse.sshfs host:/ rw\n"
                             "38 35 0:51 / /net rw - autofs auto rw\n"
                             "garbage - nfs\n";
    QCOMPARE(supervisor::slowMountPoints(text), (std::vector<std::string>{"/home/u/a b", "/net"}));
}

QTEST_APPLESS_MAIN(ResolverTest)
#include "tst_resolver.moc"
