// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/engine/workspace/reconstruct.h"
#include "tests/integration/processes.h"
#include "tests/integration/world.h"
#include "tests/support/kernel_gate.h"
#include "tests/support/tree_snapshot.h"

#include <QTest>

#include <array>
#include <csignal>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>

using namespace revet;
using namespace revet::test;
using workspace::DirectChanges;
namespace fs = std::filesystem;

namespace {

struct Accident
{
    const char* name;
    const char* script;
};

/// Each in a project with the files of fill(), as a repository.
constexpr std::array kAccidents{
    Accident{"rm of everything", "rm -rf ./* ./.g*"},
    Accident{"find -delete", "find . -mindepth 1 -delete"},
    Accident{"git clean", "git clean -qfdx"},
    Accident{"git reset", "git reset -q --hard"},
    Accident{"git checkout", "git checkout -qf HEAD~1"},
    Accident{"redirection", "> a/one; echo new > a/two; echo more >> b/three"},
    Accident{"sed -i", "sed -i s/line/LINE/ a/* b/*"},
    Accident{"dd", "dd if=/dev/zero of=a/one bs=1 seek=10 count=20 conv=notrunc 2>&1"},
    Accident{"truncate", "truncate -s 3 a/one; truncate -s 1M a/two; truncate -s 0 sparse"},
    Accident{"mmap",
             "python3 -c 'import mmap; f = open(\"a/one\", \"r+b\"); m = mmap.mmap(f.fileno(), 0); m[3:9] = "
             "b\"MAPPED\"; m.flush()'"},
    Accident{"copy_file_range",
             "python3 -c 'import os; s = os.open(\"a/two\", os.O_RDONLY); d = os.open(\"a/one\", "
             "os.O_WRONLY); os.copy_file_range(s, d, 50)'"},
    Accident{"fallocate", "fallocate -p -o 0 -l 4096 a/big; fallocate -l 20000 a/one"},
    Accident{"descriptors opened before",
             "exec 5<>a/one 6<>a/two; mv a/one b/moved; rm a/two; printf NEW >&5; printf NEW >&6"},
    Accident{"rename chains and swaps",
             "mv a/one t; mv a/two a/one; mv t a/two; mv a c; mv b a; mv c b; "
             "python3 -c 'import ctypes; print(ctypes.CDLL(None).renameat2(-100, b\"a/three\", -100, "
             "b\"b/deep\", 2))'; echo x > b/deep"},
    Accident{"atomic save",
             "python3 -c 'import os; f = open(\"a/.one.swp\", \"w\"); f.write(\"saved\"); f.close(); "
             "os.link(\"a/one\", \"a/one~\"); os.replace(\"a/.one.swp\", \"a/one\")'"},
    Accident{
        "hard links",
        "ln a/one l; echo new > l; rm a/one; echo newer > l; echo x >> hard1; rm hard2; ln -f a/two hard1"},
    Accident{"symbolic links",
             "rm a/link; ln -s nowhere a/link; ln -sf elsewhere b/dangling; echo x > a/link"},
    Accident{
        "link farms",
        "for i in $(seq 100); do ln a/one h$i; ln -s ../a/one b/s$i; done; rm a/one; for i in $(seq 60); do "
        "echo x >> h$i; rm b/s$i; done; mv h61 a/one; ln -f a/two h62; rm b/dangling; mv b/s99 b/dangling"},
    Accident{"directories", "rm -r a/deep; mkdir a/deep; rmdir b/empty; chmod 700 b; mv b/three a/deep/"},
    Accident{"modes, times, attributes",
             "chmod 600 a/one; touch a/two; touch -d 2001-01-01 a; "
             "python3 -c 'import os; os.setxattr(\"a/one\", \"user.x\", b\"1\"); os.removexattr(\"a/two\", "
             "\"user.note\")'"},
    Accident{"database",
             "python3 -c '\nimport sqlite3\nc = sqlite3.connect(\"data.db\")\nc.execute(\"PRAGMA "
             "journal_mode = WAL\")\n"
             "for i in range(50):\n    c.execute(\"UPDATE t SET x = x + 1\")\n    "
             "c.commit()\nc.execute(\"VACUUM\")'"},
    Accident{"archive", "tar cf t.tar a; echo x > a/one; tar xf t.tar; rm -r a; tar xf t.tar"},
    Accident{
        "git day",
        "git mv a/one a/uno; git commit -qam m; git branch -q x; git gc -q --prune=now; git stash -q 2>&1; "
        "git config user.name Other; git checkout -q x; git rebase -q HEAD~1 2>&1"},
};

/// Does anything that a program can do to files, so many times; what fails is nothing.
constexpr const char* kChance = R"(
import ctypes, mmap, os, random, sys
random.seed(int(sys.argv[1]))
libc = ctypes.CDLL(None)
def any():
    return "/".join(random.choice("abcdefgh") for _ in range(random.randint(1, 3)))
def write(path, flags):
    fd = os.open(path, os.O_CREAT | os.O_WRONLY | flags, 0o644)
    os.write(fd, bytes(random.randint(65, 90) for _ in range(random.randint(0, 60))))
    os.close(fd)
def mapped(path):
    with open(path, "r+b") as file:
        mmap.mmap(file.fileno(), 0)[0:1] = b"m"
def saved(path):
    write(path + ".new", 0)
    os.replace(path + ".new", path)
deeds = [
    lambda: write(any(), os.O_TRUNC), lambda: write(any(), 0), lambda: write(any(), os.O_APPEND),
    lambda: os.makedirs(any()), lambda: os.makedirs(any()), lambda: os.unlink(any()), lambda: os.rmdir(any()),
    lambda: os.rename(any(), any()), lambda: os.rename(any(), any()), lambda: os.link(any(), any()),
    lambda: os.symlink(any(), any()), lambda: os.truncate(any(), random.randint(0, 9000)),
    lambda: os.utime(any(), (1, random.randint(1, 10**9))), lambda: mapped(any()), lambda: saved(any()),
    lambda: os.setxattr(any(), "user.note", b"n%d" % random.randint(0, 9)),
    lambda: libc.renameat2(-100, any().encode(), -100, any().encode(), 2),
    lambda: os.chmod(any(), 0o700 | random.randint(0, 0o77))]
done = 0
for _ in range(int(sys.argv[2])):
    try:
        random.choice(deeds)()
        done += 1
    except OSError as error:
        if error.errno in (28, 5):
            raise
    except ValueError:
        pass
assert done > 300, done
)";

/// The project is on a small disk of its own, which the box fills before it goes on.
constexpr const char* kFullDisk = R"(
set -e
tell() { (cd mnt/p && find . -printf '%p %y %m %T@ %s %l\n' | sort && find . -type f -exec cksum {} + | sort); }
mkdir mnt; mount -t tmpfs -o size=4m tmpfs mnt || { echo cannot mount >&2; exit 1; }
mkdir -p mnt/p/src; for i in $(seq 40); do seq $i 300 > mnt/p/src/$i; done
tell > before
cd mnt/p
"$1" run --tier sandbox -- sh -c 'echo x >> src/1; cat /dev/zero > filler; echo x >> src/2; > src/3; rm src/4
  sed -i s/1/2/ src/*; mv src/5 src/6; rm -r src; mkdir src; echo y > src/7; true' 2> ../../err
cd ../..; tell > between; grep -q 'command ended' err; test -s mnt/p/filler; ! cmp -s before between
! (cd mnt/p && "$1" undo) || { echo undone without any room; exit 1; }
tell | diff between - || { echo half undone; exit 1; }
rm mnt/p/filler
(cd mnt/p && "$1" undo)
# A person has used the top directory since: its time is theirs.
tell | grep -v '^\. d' > after; grep -v '^\. d' before | diff - after
)";

void fill(const World& world)
{
    world.prepare(
        "mkdir -p a/deep/deeper b/empty node_modules/m; for f in one two; do seq -f 'line %g' 500 > a/$f; "
        "done; "
        "echo three > b/three; echo deep > a/deep/deeper/file; ln -s one a/link; ln -s nowhere b/dangling; "
        "head -c 300000 /dev/urandom > a/big; echo hard > hard1; ln hard1 hard2; echo m > node_modules/m/x; "
        "truncate -s 64M sparse; echo node_modules > .gitignore; echo sparse >> .gitignore; "
        "python3 -c 'import sqlite3; c = sqlite3.connect(\"data.db\"); c.execute(\"CREATE TABLE t (x)\"); "
        "c.executemany(\"INSERT INTO t VALUES (?)\", [(i,) for i in range(2000)]); c.commit()'; "
        "python3 -c 'import os; os.setxattr(\"a/two\", \"user.note\", b\"v\")'; "
        "touch -d 1999-09-09 a/one b; chmod 640 a/one");
    world.makeRepository();
    world.prepare("git add -A; git commit -qm all; echo second >> b/three; git -c user.name=a -c "
                  "user.email=a@b commit -qam second; echo "
                  "dirty >> a/big");
}

/// What was there before a session, and what it kept of it.
std::unique_ptr<DirectChanges> changesOf(const World& world, const std::string& id)
{
    const fs::path session = world.home().dataHome() / "revet/sessions" / id;
    auto changes = DirectChanges::open(workspace::preImagesDirectory(session, 0));
    if (!changes) {
        qFatal("%s", toString(changes.error()).c_str());
    }
    return std::move(*changes);
}

} // namespace

/// Whatever a sandbox box does to its project, the state before can be put together again.
class TestUndo : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { REVET_NEEDS_ORDINARY_USER(); }

    void keepsWhatAccidentsDestroy_data()
    {
        QTest::addColumn<int>("accident");
        for (std::size_t i = 0; i < kAccidents.size(); ++i) {
            QTest::newRow(kAccidents.at(i).name) << static_cast<int>(i);
        }
    }
    void keepsWhatAccidentsDestroy()
    {
        QFETCH(int, accident);
        const World world;
        fill(world);
        const Tree before = treeAt(world.project());
        const Finished finished
            = world.runner().runScript("sandbox", kAccidents.at(static_cast<std::size_t>(accident)).script);
        QVERIFY2(!finished.timedOut && finished.status != 125, text(finished).c_str());
        QVERIFY2(!difference(before, treeAt(world.project())).empty(), text(finished).c_str());
        const auto changes = changesOf(world, world.runner().lastSession());
        QVERIFY(changes->images().isSealed);
        QVERIFY2(changes->changes(), text(finished).c_str());
        REVET_VERIFY_NONE(difference(before, treeBefore(*changes)));

        const TreeSnapshot after = snapshotOf(world.project());
        REVET_VERIFY_NONE(wrongWith(world.runner().revet({"undo"}), "took back"));
        REVET_VERIFY_NONE(difference(before, treeAt(world.project())));
        REVET_VERIFY_NONE(wrongWith(world.runner().revet({"undo"}), "did again"));
        REVET_VERIFY_NONE(treeDifferences(after, snapshotOf(world.project())));
        REVET_VERIFY_NONE(wrongWith(world.runner().revet({"undo"}), "took back"));
        REVET_VERIFY_NONE(difference(before, treeAt(world.project())));
    }

    void survivesTheDeathOfItsSession()
    {
        const World world;
        world.prepare("mkdir d; for i in $(seq 400); do echo $i > d/$i; done");
        const Tree before = treeAt(world.project());
        std::thread killer([&] {
            const auto isUnderWay = [&] { return fs::exists(world.project() / "mark"); };
            if (comesTrue(30'000, isUnderWay)) {
                ::kill(sessionProcess(world.home().runtimeDirectory()), SIGKILL);
            }
        });
        static_cast<void>(
            world.runner().runScript("sandbox",
                                     "while :; do for i in $(seq 400); do sed -i s/^/x/ d/$i; mv d/$i d/t; "
                                     "cp d/t d/$i; rm d/t; touch mark; done; done"));
        killer.join();
        const std::string killed = world.runner().lastSession();
        REVET_VERIFY_NONE(difference(before, treeBefore(*changesOf(world, killed))));
        // The next one ends its records.
        QCOMPARE(world.runner().runScript("sandbox", "true").status, 0);
        const auto changes = changesOf(world, killed);
        QVERIFY(changes->images().isSealed);
        REVET_VERIFY_NONE(difference(before, treeBefore(*changes)));
        REVET_VERIFY_NONE(wrongWith(world.runner().revet({"undo", killed}), "took back"));
        REVET_VERIFY_NONE(difference(before, treeAt(world.project())));
    }

    /// Undone at once, while nobody has ended the records of the killed session yet.
    void undoesWhatAKilledSessionDid()
    {
        const World world;
        fill(world);
        const Tree before = treeAt(world.project());
        std::thread killer([&] {
            if (comesTrue(30'000, [&] { return fs::exists(world.project() / "mark"); })) {
                ::kill(sessionProcess(world.home().runtimeDirectory()), SIGKILL);
            }
        });
        static_cast<void>(world.runner().runScript(
            "sandbox", "rm -r a; touch mark; while :; do mv b c; echo x >> c/three; mv c b; done"));
        killer.join();
        REVET_VERIFY_NONE(wrongWith(world.runner().revet({"undo"}), "took back"));
        REVET_VERIFY_NONE(difference(before, treeAt(world.project())));
    }

    void undoesWhateverModesAndAccessListsABoxLeaves()
    {
        REVET_NEEDS_PROGRAM("python3");
        const World world;
        world.prepare("echo one > f; echo two > g; echo three > h; chmod 750 .");
        const std::string list = accessListFor(1501);
        QCOMPARE(::setxattr((world.project() / "f").c_str(), kAccessList, list.data(), list.size(), 0), 0);
        const auto before = snapshotOf(world.project());
        const Finished done = world.runner().runScript(
            "sandbox",
            "echo x >> f; rm g; python3 -c 'import os; a = os.getxattr(\"f\", "
            "\"system.posix_acl_access\"); os.setxattr(\"h\", \"system.posix_acl_access\", a)'; "
            "echo x >> h; mkdir -p x/y; chmod 000 x; chmod 000 .");
        QVERIFY2(done.status == 0, done.err.c_str());
        fs::permissions(world.project(), fs::perms::owner_all); // to be there, as who asks for a session is
        const std::string id = world.runner().lastSession();
        fs::permissions(world.project(), fs::perms::none);
        RunOptions options;
        options.directory = world.home().home();
        for (const char* const what : {"took back", "did again", "took back"}) {
            REVET_VERIFY_NONE(wrongWith(world.runner().revet({"undo", id}, options), what));
        }
        QCOMPARE(treeDifferences(before, snapshotOf(world.project())), std::string());
        QCOMPARE(accessListOf(world.project() / "f"), list);
    }

    void movesToWhereNothingIsListedAndBack()
    {
        REVET_NEEDS_PROGRAM("python3");
        const World world;
        world.prepare("mkdir a; echo one > a/one");
        const Tree before = treeAt(world.project());
        const Finished done
            = world.runner().run("sandbox",
                                 {"python3", "-c",
                                  "import os\nos.mkdir('n')\nat = os.open('n', 0)\nfor i in range(140):\n"
                                  "    os.mkdir('n', dir_fd=at)\n    at = os.open('n', 0, "
                                  "dir_fd=at)\nos.rename('a', 'a', dst_dir_fd=at)"});
        QVERIFY2(done.status == 0, done.err.c_str());
        for (const char* const what : {"took back", "did again", "took back"}) {
            REVET_VERIFY_NONE(wrongWith(world.runner().revet({"undo"}), what));
            QCOMPARE(fs::exists(world.project() / "a/one"), std::string_view(what) == "took back");
        }
        REVET_VERIFY_NONE(difference(before, treeAt(world.project())));
    }

    void undoesChance_data()
    {
        QTest::addColumn<unsigned>("seed");
        for (unsigned seed = 1; seed <= 4; ++seed) {
            QTest::addRow("seed %u", seed) << seed;
        }
    }
    void undoesChance()
    {
        QFETCH(unsigned, seed);
        const World world;
        fill(world);
        const Tree before = treeAt(world.project());
        const Finished finished = world.runner().run(
            "sandbox", {"/usr/bin/python3", "-c", kChance, std::to_string(seed), "1500"});
        QVERIFY2(finished.status == 0, text(finished).c_str());
        const TreeSnapshot after = snapshotOf(world.project());
        REVET_VERIFY_NONE(wrongWith(world.runner().revet({"undo"}), "took back"));
        REVET_VERIFY_NONE(difference(before, treeAt(world.project())));
        REVET_VERIFY_NONE(wrongWith(world.runner().revet({"undo"}), "did again"));
        REVET_VERIFY_NONE(treeDifferences(after, snapshotOf(world.project())));
    }

    void undoesOnAFullDisk()
    {
        const World world;
        const Finished finished = world.runner().bare({"/usr/bin/unshare", "--user", "--map-current-user",
                                                       "--mount", "--keep-caps", "/bin/bash", "-c", kFullDisk,
                                                       "bash", SessionRunner::program("revet")},
                                                      {.directory = world.home().home()});
        if (finished.err.find("cannot mount") != std::string::npos) {
            QSKIP("no file system can be mounted here");
        }
        QVERIFY2(finished.status == 0, text(finished).c_str());
    }

    /// What a descriptor leads to is not what has its name now, and what is kept is nobody's to change.
    void changesNothingThroughWhatIsKept()
    {
        const World world;
        world.prepare("echo aaa > a; echo bbb > b");
        const Tree before = treeAt(world.project());
        const Finished finished = world.runner().run("sandbox", {"python3", "-c", R"(
import os
def attempt(what, deed):
    try: print(what, deed())
    except OSError as error: print(what, error.errno)
open('new', 'w').write('new')
files = [os.open(name, os.O_RDONLY) for name in 'ab']
os.unlink('a')
os.rename('new', 'b')
for file in files:
    link = '/proc/self/fd/%d' % file
    attempt('chmod', lambda: os.fchmod(file, 0o600))
    attempt('times', lambda: os.utime(file, (0, 0)))
    attempt('attribute', lambda: os.setxattr(file, 'user.q', b'1'))
    attempt('truncate', lambda: os.truncate(link, 1))
    attempt('write', lambda: os.open(link, os.O_RDWR))
    attempt('empty', lambda: os.open(link, os.O_WRONLY | os.O_TRUNC))
    attempt('link', lambda: os.link(link, 'linked', follow_symlinks=True))
    print(os.pread(file, 9, 0))
print(open('b').read(), os.stat('b').st_mtime > 1)
)"});
        QVERIFY2(finished.status == 0, text(finished).c_str());
        // EPERM, or EROFS and EXDEV from the kernel itself, where no way leads to what was removed.
        std::size_t refused = 0;
        for (const std::string_view error : {" 1\n", " 30\n", " 18\n"}) {
            for (std::size_t at = 0; (at = finished.out.find(error, at)) != std::string::npos; ++at) {
                ++refused;
            }
        }
        QVERIFY2(refused == 14, text(finished).c_str());
        QVERIFY2(finished.out.find("aaa") != std::string::npos && finished.out.ends_with("new True\n"),
                 text(finished).c_str());
        const auto changes = changesOf(world, world.runner().lastSession());
        REVET_VERIFY_NONE(difference(before, treeBefore(*changes)));
        QVERIFY(!matching(world.runner().lastEvents(),
                          {{"verdict", "denied"},
                           {"rule", "undo: it was removed or replaced, and is kept"},
                           {"target", (world.project() / "a").string()}})
                     .empty());
        QVERIFY(matching(world.runner().lastEvents(), {{"target", "/"}}).empty());
    }

    /// Another program that has a file open for writing does not change what is kept of it.
    void keepsWhatOthersStillWriteTo()
    {
        const World world;
        world.prepare("echo aaa > a; echo bbb > b; echo ccc > c");
        const Tree before = treeAt(world.project());
        const auto open = [&](const char* name) {
            return UniqueFd(::open((world.project() / name).c_str(), O_RDWR | O_CLOEXEC));
        };
        const UniqueFd removed = open("a");
        const UniqueFd replaced = open("b");
        QCOMPARE(world.runner().runScript("sandbox", "rm a c; echo new > n; mv n b").status, 0);
        QVERIFY(::pwrite(removed.get(), "XX", 2, 0) == 2 && ::pwrite(replaced.get(), "XX", 2, 0) == 2);
        const auto changes = changesOf(world, world.runner().lastSession());
        REVET_VERIFY_NONE(difference(before, treeBefore(*changes)));
        // What nobody writes to is not copied.
        const auto saved = changes->before().saved();
        QVERIFY(saved.at("c").content == workspace::PreImageRecord::Content::Kept);
        QVERIFY(saved.at("a").content == workspace::PreImageRecord::Content::Copied);
    }

    void brakesABurst()
    {
        const World world;
        world.prepare("mkdir src; for i in $(seq 300); do echo $i > src/$i; done; touch other");
        const Finished finished = world.runner().runScript("sandbox", "rm -rf src; rm other; echo $? > kept");
        QCOMPARE(std::distance(fs::directory_iterator(world.project() / "src"), {}), 100);
        QCOMPARE(readFile(world.project() / "kept"), std::string("1\n"));
        QVERIFY(fs::exists(world.project() / "other"));
        QVERIFY2(finished.err.find("the brake refused") != std::string::npos, finished.err.c_str());
        REVET_VERIFY_NONE(
            missingEvent(world, {.kinds = {"delete"}, .verdicts = {"denied"}, .target = "/other"}));
        const auto denied = matching(world.runner().lastEvents(), {{"verdict", "denied"}});
        QVERIFY(!denied.empty());
        QVERIFY2(denied.front()
                     .value("rule", "")
                     .starts_with("brake: 200 files gone within 10 s; nobody can be "
                                  "asked: "),
                 denied.front().dump().c_str());
    }

    void doesAsTheSettingsSay()
    {
        const World world;
        world.prepare(
            "mkdir src; for i in $(seq 9); do echo $i > src/$i; done; head -c 2000000 /dev/zero > big");
        QCOMPARE(world.runner().revet({"project", "set", "undo.brake=5", "undo.largest=1M"}).status, 0);
        const Finished finished = world.runner().runScript("sandbox", "rm -rf src; echo x >> big");
        QCOMPARE(std::distance(fs::directory_iterator(world.project() / "src"), {}), 4);
        QVERIFY2(finished.err.find("1 change cannot be undone") != std::string::npos, finished.err.c_str());
        const Finished undone = world.runner().revet({"undo"});
        QCOMPARE(undone.status, 1);
        QVERIFY2(undone.err.find("big: larger than 1 MiB") != std::string::npos, undone.err.c_str());
        QCOMPARE(std::distance(fs::directory_iterator(world.project() / "src"), {}), 9);
        QCOMPARE(world.runner().revet({"project", "set", "undo.brake=0"}).status, 0);
        QCOMPARE(world.runner().runScript("sandbox", "rm -rf src && test ! -e src").status, 0);
    }

    void doesNotBrakeWork_data()
    {
        QTest::addColumn<QString>("script");
        QTest::newRow("checkout") << QStringLiteral(
            "git checkout -q HEAD~1 && test ! -e src/1 && git checkout -q -");
        QTest::newRow("reset") << QStringLiteral("git reset -q --hard HEAD~1 && test ! -e src");
        QTest::newRow("rebase") << QStringLiteral("git checkout -q -b b HEAD~1 && echo b > b && git add b && "
                                                  "git commit -qm b && git rebase -q master");
        QTest::newRow("stash") << QStringLiteral("sed -i s/^/x/ src/* && git stash -q && git stash pop -q");
        QTest::newRow("git rm") << QStringLiteral("git rm -qr src && test ! -e src");
        QTest::newRow("gc") << QStringLiteral("git gc -q --prune=now");
        QTest::newRow("build output") << QStringLiteral("rm -rf node_modules && test ! -e node_modules");
        QTest::newRow("clean of build output") << QStringLiteral("git clean -qfdX && test ! -e node_modules");
        QTest::newRow("make clean") << QStringLiteral("rm *.o && test ! -e 1.o");
        QTest::newRow("some of the top") << QStringLiteral("rm top* && test ! -e top1");
        QTest::newRow("stash of untracked files")
            << QStringLiteral("git stash -qu && test ! -e top1 && git stash pop -q && test -e top30");
        QTest::newRow("formatter") << QStringLiteral("sed -i s/^/x/ src/*");
        QTest::newRow("rename") << QStringLiteral("mv src lib && mkdir src && mv lib/* src/ && rmdir lib");
        QTest::newRow("one directory") << QStringLiteral("rm -r docs && test ! -e docs");
    }
    void doesNotBrakeWork()
    {
        const World world;
        world.prepare(
            "mkdir -p node_modules/m docs; for i in $(seq 300); do echo $i > node_modules/m/$i; done; "
            "for i in $(seq 100); do echo $i > docs/$i; done; "
            "for i in $(seq 300); do echo $i > $i.o; done; for i in $(seq 30); do echo $i > top$i; echo $i > "
            "kept$i; "
            "done; "
            "echo node_modules > .gitignore; echo '*.o' >> .gitignore; git init -q -b master; git config "
            "user.name a; git config "
            "user.email a@b; "
            "git add .gitignore docs kept*; git commit -qm 1; mkdir src; for i in $(seq 300); do echo $i > "
            "src/$i; "
            "done; "
            "git add src; git commit -qm 2");
        const Finished finished = world.runner().runScript("sandbox", fetched("script"));
        QVERIFY2(finished.status == 0, text(finished).c_str());
        QVERIFY2(finished.err.find("brake") == std::string::npos, finished.err.c_str());
    }
};

QTEST_GUILESS_MAIN(TestUndo)
#include "tst_undo.moc"
