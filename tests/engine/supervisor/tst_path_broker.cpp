// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/engine/supervisor/broker_steps.h"

#include <QTest>

#include <algorithm>
#include <csignal>
#include <functional>
#include <sstream>

#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

using namespace revet;
using namespace revet::test;
namespace fs = std::filesystem;

namespace {

/// Everything that a program can see of a tree but inode numbers and times.
std::string printed(const fs::path& top, const std::string& below = {})
{
    std::vector<std::string> parts;
    for (const auto& entry : fs::directory_iterator(top)) {
        struct stat status = {};
        ::lstat(entry.path().c_str(), &status);
        std::ostringstream text;
        text << below << entry.path().filename().string() << ' ' << std::oct << status.st_mode;
        if (!S_ISDIR(status.st_mode)) {
            text << std::dec << " links " << status.st_nlink << " size " << status.st_size;
        }
        if (S_ISLNK(status.st_mode)) {
            text << " -> " << fs::read_symlink(entry.path()).string();
        }
        if (S_ISREG(status.st_mode)) {
            text << " \"" << readFile(entry.path()) << '"';
        }
        text << '\n';
        if (S_ISDIR(status.st_mode)) {
            text << printed(entry.path(), below + entry.path().filename().string() + '/');
        }
        parts.push_back(text.str());
    }
    std::sort(parts.begin(), parts.end());
    std::string whole;
    for (const std::string& part : parts) {
        whole += part;
    }
    return whole;
}

std::string describe(const Seen& seen)
{
    std::string text = seen.error == 0 ? std::string("ok") : std::string(::strerrorname_np(seen.error));
    if (seen.descriptor) {
        struct stat status = {};
        ::fstat(seen.descriptor.get(), &status);
        std::ostringstream more;
        more << " mode " << std::oct << status.st_mode << " flags "
             << (::fcntl(seen.descriptor.get(), F_GETFL) & ~0100000) << " cloexec "
             << ::fcntl(seen.descriptor.get(), F_GETFD);
        text += more.str();
    }
    return text;
}

const char* const kTable = "dependency_directories = [\"node_modules\", \"vendor\"]\n"
                           "[[entry]]\ngroup = \"editors\"\nclass = \"pinned\"\nwhy = \"runs on opening\"\n"
                           "paths = [\".vscode/**\", \".envrc\"]\n"
                           "[[entry]]\ngroup = \"manifests\"\nclass = \"checked\"\nformat = \"any\"\n"
                           "why = \"runs on install\"\npaths = [\"package.json\"]\n";

} // namespace

class TestPathBroker : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        ::signal(SIGXFSZ, SIG_IGN);
        QVERIFY(::unshare(CLONE_FS) == 0);
    }

    void init() { ::umask(022); }

    void doesWhatTheKernelDoes()
    {
        BrokerBench bench;
        const fs::path bare = bench.outside() / "bare";
        fs::create_directory(bare);
        for (const Step& step : brokerSteps()) {
            QVERIFY(::chdir(bare.c_str()) == 0);
            ::umask(step.mask);
            const std::string expected = describe(runBare(step.make()));

            QVERIFY(::chdir(bench.project().c_str()) == 0);
            bench.target.mask = step.mask;
            Seen seen = bench.run(step.make());
            if (seen.wasLeftToKernel) {
                QVERIFY2(step.by == By::Either, step.name);
                ::umask(step.mask);
                seen = runBare(step.make());
            }
            QVERIFY2(describe(seen) == expected,
                     (std::string(step.name) + ": " + describe(seen) + ", bare " + expected).c_str());
            ::umask(0);
            QVERIFY2(
                printed(bench.project()) == printed(bare),
                (std::string(step.name) + "\n" + printed(bench.project()) + "--\n" + printed(bare)).c_str());
        }
        QVERIFY(::chdir("/") == 0);
    }

    void setsNoSetIdBitsDevicesWhiteoutsOrOverlayMarks()
    {
        BrokerBench bench;
        writeFile(bench.project() / "f", "x");
        QCOMPARE(bench.error(withMode(Operation::ChangeMode, at("f"), 04755)), EPERM);
        QCOMPARE(bench.error(withMode(Operation::ChangeMode, at("f"), 02755)), EPERM);
        QCOMPARE(bench.error(opening(at("s"), O_CREAT | O_WRONLY, 04755)), EPERM);
        QCOMPARE(bench.error(opening(at("."), O_TMPFILE | O_WRONLY, 04755)), EPERM);
        QCOMPARE(bench.error(withMode(Operation::MakeNode, at("s"), S_IFREG | 04755)), EPERM);
        QCOMPARE(bench.error(withMode(Operation::MakeNode, at("c"), S_IFCHR | 0600)), EPERM);
        QCOMPARE(bench.error(withMode(Operation::MakeNode, at("b"), S_IFBLK | 0600)), EPERM);
        QCOMPARE(bench.error(twoPaths(Operation::Rename, at("f"), at("g"), RENAME_WHITEOUT)), EPERM);
        QCOMPARE(bench.error(attribute(at("f"), "user.overlay.opaque")), EPERM);
        QCOMPARE(bench.error(attribute(at("f"), "security.capability")), EPERM);
        QCOMPARE(printed(bench.project()), std::string("f 100644 links 1 size 1 \"x\"\n"));
        for (const Fact& fact : bench.facts.take()) {
            QVERIFY(fact.verdict == Verdict::Denied);
            QVERIFY(!fact.rule.empty());
        }
    }

    void changesByDescriptorsThatAreReadOnly()
    {
        BrokerBench bench;
        writeFile(bench.project() / "f", "x");
        const UniqueFd fd(::open((bench.project() / "f").c_str(), O_RDONLY | O_CLOEXEC));
        QCOMPARE(bench.error(withMode(Operation::ChangeMode, descriptor(fd.get()), 0600)), 0);
        QCOMPARE(bench.error(call(Operation::ChangeTimes, descriptor(fd.get()))), 0);
        QCOMPARE(bench.error(attribute(descriptor(fd.get()), "user.x")), 0);
        QCOMPARE(bench.error(
                     withMode(Operation::ChangeMode, at("/proc/self/fd/" + std::to_string(fd.get())), 0640)),
                 0);
        QCOMPARE(bench.error(withMode(Operation::ChangeMode, descriptor(fd.get()), 04755)), EPERM);
        QCOMPARE(bench.error(withMode(Operation::ChangeMode, descriptor(999), 0600)), EBADF);
        const UniqueFd pathOnly(::open((bench.project() / "f").c_str(), O_PATH | O_CLOEXEC));
        QCOMPARE(bench.error(withMode(Operation::ChangeMode, descriptor(pathOnly.get()), 0600)), EBADF);
        struct stat status = {};
        ::fstat(fd.get(), &status);
        QCOMPARE(status.st_mode & 07777U, 0640U);
        // A file that was moved, with another one in its place.
        fs::rename(bench.project() / "f", bench.project() / "g");
        writeFile(bench.project() / "f", "other");
        QCOMPARE(bench.error(withMode(Operation::ChangeMode, descriptor(fd.get()), 0604)), 0);
        QCOMPARE(fs::status(bench.project() / "f").permissions(), fs::perms(0644));
        QCOMPARE(fs::status(bench.project() / "g").permissions(), fs::perms(0604));
    }

    void reopensAndLinksOwnDescriptors()
    {
        BrokerBench bench;
        const Seen unnamed = bench.run(opening(at("."), O_TMPFILE | O_RDWR, 0644));
        const std::string link = "/proc/self/fd/" + std::to_string(unnamed.descriptor.get());
        QCOMPARE(bench.error(twoPaths(Operation::MakeLink, at(link), at("a"), AT_SYMLINK_FOLLOW)), 0);
        const Seen again = bench.run(opening(at("."), O_TMPFILE | O_RDWR, 0644));
        QCOMPARE(bench.error(twoPaths(Operation::MakeLink, descriptor(again.descriptor.get()), at("b"))), 0);
        QVERIFY(fs::exists(bench.project() / "a") && fs::exists(bench.project() / "b"));

        writeFile(bench.project() / "f", "old");
        const UniqueFd fd(::open((bench.project() / "f").c_str(), O_RDONLY | O_CLOEXEC));
        for (const std::string prefix : {"/proc/self/fd/", "/dev/fd/", "/proc/thread-self/fd/"}) {
            const Seen seen = bench.run(opening(at(prefix + std::to_string(fd.get())), O_WRONLY | O_TRUNC));
            QCOMPARE(seen.error, 0);
            QVERIFY(::write(seen.descriptor.get(), "new", 3) == 3);
        }
        QCOMPARE(readFile(bench.project() / "f"), std::string("new"));

        const Seen unlinked = bench.run(opening(at("gone"), O_CREAT | O_RDWR, 0600));
        fs::remove(bench.project() / "gone");
        QCOMPARE(
            bench.error(opening(at("/proc/self/fd/" + std::to_string(unlinked.descriptor.get())), O_RDWR)),
            0);
    }

    void leavesEverythingElseToTheKernel()
    {
        BrokerBench bench;
        writeFile(bench.outside() / "other", "x");
        fs::create_directory(bench.outside() / "project-evil");
        fs::create_symlink(bench.outside() / "other", bench.project() / "out");
        for (const Call& made :
             {opening(at("/dev/null"), O_WRONLY | O_CREAT | O_TRUNC, 0666),
              opening(at("/proc/self/comm"), O_WRONLY), opening(at("../other"), O_WRONLY),
              opening(at("out"), O_WRONLY | O_TRUNC), opening(at("../new"), O_CREAT | O_WRONLY, 0600),
              opening(at("../project-evil/x"), O_CREAT | O_WRONLY, 0600),
              withMode(Operation::ChangeMode, at("out"), 0600), call(Operation::Remove, at("../other")),
              call(Operation::RemoveDirectory, at(bench.project())), truncating("out", 0)}) {
            QVERIFY2(bench.run(made).wasLeftToKernel, made.path.path.c_str());
        }
        QCOMPARE(readFile(bench.outside() / "other"), std::string("x"));
        QVERIFY(!fs::exists(bench.outside() / "new"));
        bench.target.seesBox = false;
        QVERIFY(bench.run(opening(at("f"), O_CREAT | O_WRONLY, 0600)).wasLeftToKernel);
        bench.target.seesBox = fail(Error::fromErrno("look at a process's root", EACCES));
        QCOMPARE(bench.error(opening(at("f"), O_CREAT | O_WRONLY, 0600)), EPERM);
    }

    void crossesNoBorderByNames()
    {
        BrokerBench bench;
        writeFile(bench.project() / "f", "x");
        writeFile(bench.outside() / "o", "x");
        const std::string outside = bench.outside() / "o";
        QCOMPARE(bench.error(twoPaths(Operation::Rename, at("f"), at(bench.outside() / "f"))), EXDEV);
        QCOMPARE(bench.error(twoPaths(Operation::Rename, at(outside), at("g"))), EXDEV);
        QCOMPARE(bench.error(twoPaths(Operation::MakeLink, at(outside), at("g"))), EXDEV);
        QCOMPARE(printed(bench.project()), std::string("f 100644 links 1 size 1 \"x\"\n"));
    }

    void findsNothingInARemovedWorkingDirectory()
    {
        BrokerBench bench;
        fs::create_directory(bench.project() / "gone");
        QVERIFY(::chdir((bench.project() / "gone").c_str()) == 0);
        fs::remove(bench.project() / "gone");
        bench.target.directory.clear();
        Seen seen = bench.run(opening(at("x"), O_CREAT | O_WRONLY, 0600));
        QCOMPARE(seen.wasLeftToKernel ? runBare(opening(at("x"), O_CREAT | O_WRONLY, 0600)).error
                                      : seen.error,
                 ENOENT);
        QCOMPARE(bench.error(opening(at("../y"), O_CREAT | O_WRONLY, 0600)), 0);
        QVERIFY(fs::exists(bench.project() / "y"));
        QVERIFY(::chdir("/") == 0);
    }

    void keepsTheFileSizeLimitOfTheTarget()
    {
        BrokerBench bench;
        writeFile(bench.project() / "f", std::string(100, 'x'));
        struct rlimit before = {};
        ::getrlimit(RLIMIT_FSIZE, &before);
        struct rlimit low = before;
        low.rlim_cur = 50;
        ::setrlimit(RLIMIT_FSIZE, &low);
        const int growing = bench.error(truncating("f", 200));
        const int shrinking = bench.error(truncating("f", 80));
        ::setrlimit(RLIMIT_FSIZE, &before);
        QCOMPARE(growing, EFBIG);
        QCOMPARE(shrinking, 0);
        QCOMPARE(fs::file_size(bench.project() / "f"), 80U);
    }

    void takesAFileBackThatNobodyCouldHold()
    {
        BrokerBench bench;
        Answer answer = bench.perform(opening(at("emf"), O_CREAT | O_WRONLY, 0600));
        QVERIFY(answer.retract != nullptr);
        answer.retract();
        QVERIFY(!fs::exists(bench.project() / "emf"));
        Answer other = bench.perform(opening(at("emf"), O_CREAT | O_WRONLY, 0600));
        fs::remove(bench.project() / "emf");
        writeFile(bench.project() / "emf", "somebody else's");
        other.retract();
        QVERIFY(fs::exists(bench.project() / "emf"));
    }

    void doesNotWaitForALease()
    {
        BrokerBench bench;
        writeFile(bench.project() / "f", "x");
        const UniqueFd holder(::open((bench.project() / "f").c_str(), O_RDONLY | O_CLOEXEC));
        ::signal(SIGIO, SIG_IGN);
        QVERIFY(::fcntl(holder.get(), F_SETLEASE, F_RDLCK) == 0);
        QVERIFY(bench.perform(opening(at("f"), O_WRONLY)).kind == Answer::Kind::Later);
        QCOMPARE(bench.error(opening(at("f"), O_WRONLY | O_NONBLOCK)), EAGAIN);
        QVERIFY(::fcntl(holder.get(), F_SETLEASE, F_UNLCK) == 0);
        QCOMPARE(bench.error(opening(at("f"), O_WRONLY)), 0);
    }

    void obeysTheBoundsOfOpenat2()
    {
        BrokerBench bench;
        fs::create_directory(bench.project() / "d");
        fs::create_symlink("d", bench.project() / "l");
        Call inside = opening(at("d/f"), O_CREAT | O_WRONLY, 0600);
        inside.resolve = 0x08; // RESOLVE_BENEATH
        QCOMPARE(bench.error(inside), 0);
        Call up = opening(at("../project/f"), O_CREAT | O_WRONLY, 0600);
        up.resolve = 0x08;
        QVERIFY(bench.run(up).wasLeftToKernel); // EXDEV by the kernel
        Call linked = opening(at("l/g"), O_CREAT | O_WRONLY, 0600);
        linked.resolve = 0x04; // RESOLVE_NO_SYMLINKS
        QVERIFY(bench.run(linked).wasLeftToKernel); // ELOOP by the kernel
        QCOMPARE(fs::exists(bench.project() / "d/g") || fs::exists(bench.project() / "f"), false);
    }

    void bindsSocketsUnderTheirWrittenNames_data()
    {
        QTest::addColumn<QString>("written");
        QTest::addColumn<QString>("shown");
        QTest::newRow("bare name") << QStringLiteral("sock") << QStringLiteral("sock");
        QTest::newRow("full path") << QStringLiteral("@/run/sock") << QStringLiteral("@/run/sock");
        QTest::newRow("with a directory") << QStringLiteral("run/sock") << QStringLiteral("sock");
    }

    void bindsSocketsUnderTheirWrittenNames()
    {
        QFETCH(QString, written);
        QFETCH(QString, shown);
        BrokerBench bench;
        fs::create_directory(bench.project() / "run");
        const auto place = [&](QString text) {
            return text.replace(QLatin1Char('@'), QString::fromStdString(bench.project())).toStdString();
        };
        const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        Call made = call(Operation::BindLocalSocket, at(place(written)));
        made.socket = socket.get();
        bench.target.mask = 077;
        QCOMPARE(bench.error(made), 0);
        struct sockaddr_un address = {};
        socklen_t length = sizeof address;
        QVERIFY(::getsockname(socket.get(), reinterpret_cast<struct sockaddr*>(&address), &length) == 0);
        QCOMPARE(std::string(address.sun_path), place(shown));
        const fs::path file
            = written.startsWith(QLatin1Char('s')) ? bench.project() / "sock" : bench.project() / "run/sock";
        struct stat status = {};
        QVERIFY(::stat(file.c_str(), &status) == 0);
        QCOMPARE(status.st_mode, mode_t{S_IFSOCK | 0700});
        const UniqueFd second(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        made.socket = second.get();
        QCOMPARE(bench.error(made), EADDRINUSE);
    }

    void refusesPinnedFilesByEveryDeed()
    {
        BrokerBench bench(supervisor::Root::Kind::Brokered, kTable);
        writeFile(bench.project() / ".vscode/tasks.json", "host");
        writeFile(bench.project() / "evil", "evil");
        fs::create_directories(bench.project() / "d/x");
        writeFile(bench.project() / "d/x/tasks.json", "evil");
        fs::create_symlink(".vscode", bench.project() / "alias");
        const std::string tasks = ".vscode/tasks.json";
        const std::vector<Call> deeds = {
            opening(at(tasks), O_WRONLY),
            opening(at(tasks), O_RDONLY | O_TRUNC),
            opening(at("alias/tasks.json"), O_WRONLY),
            opening(at("alias/new"), O_WRONLY | O_CREAT, 0600),
            opening(at(".envrc"), O_WRONLY | O_CREAT, 0600),
            opening(at("sub/../.envrc"), O_WRONLY | O_CREAT, 0600),
            call(Operation::Remove, at(tasks)),
            twoPaths(Operation::Rename, at(tasks), at("x")),
            twoPaths(Operation::Rename, at("evil"), at(tasks)),
            twoPaths(Operation::Rename, at("evil"), at(".envrc")),
            twoPaths(Operation::Rename, at("evil"), at(tasks), RENAME_EXCHANGE),
            twoPaths(Operation::Rename, at(tasks), at("evil"), RENAME_EXCHANGE),
            twoPaths(Operation::Rename, at(".vscode"), at("v")),
            twoPaths(Operation::Rename, at("d/x"), at("d/.vscode")),
            twoPaths(Operation::Rename, at("d/x"), at(".vscode"), RENAME_EXCHANGE),
            twoPaths(Operation::MakeLink, at(tasks), at("x")),
            twoPaths(Operation::MakeLink, at("evil"), at(".envrc")),
            symlinking("evil", at(".envrc")),
            symlinking("d/x", at("d/.vscode")),
            withMode(Operation::MakeNode, at(".envrc"), S_IFIFO | 0600),
            withMode(Operation::MakeDirectory, at(".envrc"), 0700),
            withMode(Operation::ChangeMode, at(tasks), 0777),
            truncating(tasks, 0),
            attribute(at(tasks), "user.x"),
        };
        fs::create_directory(bench.project() / "sub");
        const std::string before = printed(bench.project());
        for (const Call& made : deeds) {
            static_cast<void>(bench.facts.take());
            QVERIFY2(bench.error(made) == EACCES, (made.path.path + " " + made.second.path).c_str());
            const auto facts = bench.facts.take();
            QCOMPARE(facts.size(), 1U);
            QVERIFY(facts[0].verdict == Verdict::Denied);
            QVERIFY(facts[0].reach == Reach::None);
            QVERIFY(facts[0].rule.starts_with("run-later: "));
        }
        QCOMPARE(printed(bench.project()), before);
        QCOMPARE(bench.write("package.json", "{}"), 0);
    }

    void movesNoPinnedFileAsPartOfADirectory_data()
    {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::addColumn<uint>("flags");
        const auto row = [](const char* from, const char* to, uint flags = 0) {
            QTest::addRow("%s -> %s %u", from, to, flags)
                << QString::fromLatin1(from) << QString::fromLatin1(to) << flags;
        };
        // A gitdir, and what only has the name of one.
        row(".vscode", ".git/old");
        row(".vscode", "git~1/old");
        row(".vscode", ".GIT/old");
        row("sub", ".git/old");
        row(".git/n", "new/.vscode");
        row(".git/m", "new/sub");
        row("git~1/n", "new/.vscode");
        row("git~1/.vscode", "new/.vscode");
        row(".git/n", ".vscode", RENAME_EXCHANGE);
        row(".vscode", ".git/n", RENAME_EXCHANGE);
        // A directory of dependencies is one by its own name.
        row("vendor", "new/v");
        row("sub/node_modules", "sub/n");
        row("vendor/v", "new/v");
        row("sub", "vendor");
        row("vendor", "plain", RENAME_EXCHANGE);
    }
    void movesNoPinnedFileAsPartOfADirectory()
    {
        QFETCH(QString, from);
        QFETCH(QString, to);
        QFETCH(uint, flags);
        BrokerBench bench(supervisor::Root::Kind::Brokered, kTable);
        for (const char* const file :
             {".vscode/tasks.json", "sub/.vscode/tasks.json", ".git/n/tasks.json",
              ".git/m/.vscode/tasks.json", "git~1/n/tasks.json", "git~1/.vscode/tasks.json", ".GIT/x",
              "new/x", "plain/x", "vendor/.vscode/tasks.json", "vendor/v/.envrc",
              "sub/node_modules/.envrc"}) {
            writeFile(bench.project() / file, "x");
        }
        if (to == QStringLiteral("vendor")) {
            fs::remove_all(bench.project() / "vendor");
        }
        const std::string before = printed(bench.project());
        QCOMPARE(
            bench.error(twoPaths(Operation::Rename, at(from.toStdString()), at(to.toStdString()), flags)),
            EACCES);
        QVERIFY(bench.facts.take().back().rule.starts_with("run-later: "));
        QCOMPARE(printed(bench.project()), before);
    }

    void movesDirectoriesOfDependenciesAndOfRepositories()
    {
        BrokerBench bench(supervisor::Root::Kind::Brokered, kTable);
        writeFile(bench.project() / "node_modules/p/.vscode/tasks.json", "x");
        writeFile(bench.project() / "vendor/p/x.c", "x");
        writeFile(bench.project() / ".git/refs/heads/a", "x");
        for (const auto& [from, to] :
             {std::pair("node_modules/p", "node_modules/.p-1"), std::pair("node_modules", "sub"),
              std::pair("vendor", "third-party"), std::pair(".git/refs/heads", ".git/refs/h")}) {
            const bool isPinned = std::string_view(to) == "sub";
            QCOMPARE(bench.error(twoPaths(Operation::Rename, at(from), at(to))), isPinned ? EACCES : 0);
        }
    }

    void tellsWhatWasDoneByResolvedPaths()
    {
        BrokerBench bench;
        fs::create_directory(bench.project() / "d");
        fs::create_symlink("d", bench.project() / "l");
        QCOMPARE(bench.write("l/../l/f", "x"), 0);
        QCOMPARE(bench.error(twoPaths(Operation::Rename, at("l/f"), at("g"))), 0);
        QCOMPARE(bench.error(call(Operation::Remove, at("l/f"))), ENOENT);
        const Answer read = bench.perform(opening(at("l/../g"), O_RDONLY));
        QVERIFY(read.kind == Answer::Kind::Continue && read.isRecorded);
        QCOMPARE(bench.error(symlinking("anywhere", at("l/s"))), 0);
        const auto facts = bench.facts.take();
        QCOMPARE(facts.size(), 5U);
        const std::string project = bench.project();
        QVERIFY(facts[0].kind == ActionKind::Create);
        QCOMPARE(facts[0].target, project + "/d/f");
        QVERIFY(facts[0].reach == Reach::Project);
        QCOMPARE(facts[1].target, project + "/d/f");
        QCOMPARE(facts[1].other, project + "/g");
        QVERIFY(facts[2].verdict == Verdict::Failed);
        QCOMPARE(facts[2].errnoValue, ENOENT);
        QVERIFY(facts[3].kind == ActionKind::Read);
        QCOMPARE(facts[3].target, project + "/g");
        QVERIFY(facts[4].kind == ActionKind::Create); // of a Link, both names would be files of the record
        QCOMPARE(facts[4].target, project + "/d/s");
        QCOMPARE(facts[4].other, std::string("anywhere"));
    }
};

QTEST_APPLESS_MAIN(TestPathBroker)
#include "tst_path_broker.moc"
