// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/base/scope_exit.h"
#include "engine/domain/store_name.h"
#include "tests/engine/workspace/reconstruct.h"
#include "tests/integration/processes.h"
#include "tests/integration/world.h"
#include "tests/support/kernel_gate.h"

#include <QTest>

#include <fstream>
#include <thread>

#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace revet;
using namespace revet::test;
using workspace::DirectChanges;
namespace fs = std::filesystem;

namespace {

/// Mounts of our own, as an ordinary user. Before there are threads.
bool enterNamespaces()
{
    const auto identity = [](unsigned id) { return std::to_string(id) + ' ' + std::to_string(id) + " 1\n"; };
    const std::string users = identity(::getuid());
    const std::string groups = identity(::getgid());
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) {
        return false;
    }
    std::ofstream("/proc/self/setgroups") << "deny";
    std::ofstream("/proc/self/uid_map") << users;
    std::ofstream("/proc/self/gid_map") << groups;
    return ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

/// A file system of its own, on another mount than Revet's data.
class Mount
{
public:
    explicit Mount(fs::path where)
        : m_where(std::move(where))
    {
        fs::create_directories(m_where);
        if (::mount("tmpfs", m_where.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "mode=755") != 0) {
            qFatal("cannot mount: %d", errno);
        }
    }
    ~Mount() { ::umount2(m_where.c_str(), MNT_DETACH); }
    Mount(const Mount&) = delete;
    Mount& operator=(const Mount&) = delete;
    Mount(Mount&&) = delete;
    Mount& operator=(Mount&&) = delete;

private:
    fs::path m_where;
};

RunOptions in(const fs::path& directory)
{
    RunOptions options;
    options.directory = directory;
    return options;
}

/// A repository with something in it.
void fill(const World& world, const fs::path& project)
{
    fs::create_directories(project);
    const Finished made = world.runner().bare(
        {"sh", "-c",
         "git init -q; mkdir -p docs/chapter; echo old > docs/chapter/intro.md; echo two > docs/two; "
         "chmod 640 docs/two; touch -d 1999-09-09 docs/two docs; ln -s two docs/link; echo a > a; git add "
         "-A; "
         "git -c user.name=a -c user.email=a@b commit -qm i"},
        in(project));
    QVERIFY2(made.status == 0, text(made).c_str());
}

/// Whatever a box finds of that name is written to, replaced, moved, and removed; what was read comes out.
constexpr const char* kTamper
    = "for d in $(find . -name '.revet-*' -type d); do for f in $(find $d -type f); do cat $f; echo TAMPERED "
      "> $f; "
      "done; ls -A $d; chmod 777 $d; touch $d/new; mv $d $d.moved; mkdir -p $d/x-0/000001; "
      "rm -rf $d; done; rm -rf .revet-*; mkdir -p .revet-$(id -u)/$REVET_SESSION-records; true";

/// Every file of undo's below a directory, with its content.
std::map<std::string, std::string> storedBelow(const fs::path& top)
{
    std::map<std::string, std::string> stored;
    for (const auto& entry : fs::recursive_directory_iterator(top)) {
        if (entry.is_regular_file() && isInStore(fs::relative(entry.path(), top).string())) {
            stored[entry.path()] = readFile(entry.path());
        }
    }
    return stored;
}

} // namespace

/// What undo needs lies where no box can read or write, whichever mounts there are.
class TestUndoPlaces : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { REVET_NEEDS_ORDINARY_USER(); }

    /// A record of a transaction that a box makes up is not done by the host's next decision.
    void obeysNoForgedRecord_data() { addTierRows(); }
    void obeysNoForgedRecord()
    {
        const World world;
        const Mount mount(world.project());
        fill(world, world.project());
        QCOMPARE(world.runner().runScript("container", "rm docs/chapter/intro.md").status, 0);
        const std::string decided = world.runner().lastSession();
        QCOMPARE(world.runner().revet({"apply", decided}).status, 0);
        QVERIFY(!fs::exists(world.project() / "docs/chapter/intro.md"));
        for (const auto& entry : fs::recursive_directory_iterator(world.project())) {
            const std::string name = entry.path().filename().string();
            QVERIFY2(name != "intents" && name != "done", entry.path().c_str());
        }
        writeFile(world.project() / "forge.py", kForge);
        const Finished forged
            = world.runner().run(fetched("tier"), {"python3", "forge.py", decided}, {}, RunOptions());
        QVERIFY2(forged.status == 0, text(forged).c_str());
        const std::string forger = world.runner().lastSession();
        static_cast<void>(world.runner().revet({"apply", forger}));
        static_cast<void>(world.runner().revet({"undo", forger}));
        QVERIFY(!fs::exists(world.project() / ".git/hooks/pre-commit"));
        const Finished undone = world.runner().revet({"undo", decided});
        QVERIFY2(undone.status == 0, text(undone).c_str());
        QVERIFY(!fs::exists(world.project() / ".git/hooks/pre-commit"));
        QCOMPARE(readFile(world.project() / "docs/chapter/intro.md"), std::string("old\n"));
    }

    /// A project within a project: the outer one's boxes have nothing to do with what the inner one keeps.
    void hidesWhatAnInnerProjectKeeps_data() { addTierRows(); }
    void hidesWhatAnInnerProjectKeeps()
    {
        const World world;
        const fs::path outer = world.home().home() / "outer";
        const Mount mount(outer);
        fill(world, outer);
        const fs::path inner = outer / "p";
        fill(world, inner);
        const Tree before = treeAt(inner);
        const Finished changed
            = world.runner().runScript("sandbox", "rm a; echo new > docs/two", {}, in(inner));
        QVERIFY2(changed.status == 0, text(changed).c_str());
        const std::string session = world.runner().lastSession();
        const auto stored = storedBelow(outer);
        QVERIFY(!stored.empty());
        const Finished tampering = world.runner().runScript(fetched("tier"), kTamper, {}, in(outer));
        QVERIFY2(tampering.out.empty(), text(tampering).c_str());
        QVERIFY(storedBelow(outer) == stored);
        static_cast<void>(world.runner().revet({"apply", "--pinned"}, in(outer)));
        QVERIFY(storedBelow(outer) == stored);
        const auto changes = DirectChanges::open(
            workspace::preImagesDirectory(world.home().dataHome() / "revet/sessions" / session, 0));
        QVERIFY(changes);
        REVET_VERIFY_NONE(difference(before, treeBefore(**changes)));
    }

    /// Also one that began before there was anything of it.
    void hidesItFromASessionThatRuns()
    {
        const World world;
        const fs::path outer = world.home().home() / "outer";
        const Mount mount(outer);
        fill(world, outer);
        const fs::path inner = outer / "p";
        fill(world, inner);
        Finished tampering;
        std::thread running([&] {
            tampering = world.runner().runScript(
                "sandbox", std::string("touch started; while ! test -e go; do sleep 0.05; done; ") + kTamper,
                {}, in(outer));
        });
        ScopeExit ends([&] {
            writeFile(outer / "go", "");
            running.join();
        });
        QVERIFY(comesTrue(30'000, [&] { return fs::exists(outer / "started"); }));
        const Finished changed
            = world.runner().runScript("sandbox", "rm a; echo new > docs/two", {}, in(inner));
        const auto stored = storedBelow(outer);
        ends.dismiss();
        writeFile(outer / "go", "");
        running.join();
        QVERIFY2(changed.status == 0, text(changed).c_str());
        QVERIFY(!stored.empty());
        QVERIFY2(tampering.status == 0 && tampering.out.empty(), text(tampering).c_str());
        QVERIFY(storedBelow(outer) == stored);
    }

    /// Where nothing beside the project can be written to, nothing stays in it.
    void leavesNothingInTheProject()
    {
        const World world;
        const fs::path top = world.home().home() / "mnt";
        const Mount mount(top);
        const fs::path project = top / "w/p";
        fill(world, project);
        fs::permissions(top, fs::perms::owner_read | fs::perms::owner_exec);
        const Tree before = treeAt(project);
        const Finished direct = world.runner().runScript(
            "sandbox", "rm -r docs; git checkout -q docs; ls -A .. | grep revet", {}, in(project));
        QVERIFY2(direct.out.empty(), text(direct).c_str());
        const auto changes = DirectChanges::open(workspace::preImagesDirectory(
            world.home().dataHome() / "revet/sessions" / world.runner().lastSession(), 0));
        QVERIFY(changes);
        REVET_VERIFY_NONE(difference(before, treeBefore(**changes)));
        QCOMPARE(world.runner()
                     .runScript("container",
                                "rm -r docs; echo new > a; mkdir -p k/l; echo k > k/l/m; ln -s m k/l/n", {},
                                in(project))
                     .status,
                 0);
        const std::string session = world.runner().lastSession();
        const Tree original = treeAt(project);
        for (int round = 0; round < 2; ++round) {
            const Finished applied
                = world.runner().revet({round == 0 ? "apply" : "undo", session}, in(project));
            QVERIFY2(applied.status == 0, text(applied).c_str());
            QVERIFY(!fs::exists(project / "docs"));
            QCOMPARE(readFile(project / "k/l/m"), std::string("k\n"));
            QVERIFY(!fs::exists(project / ownStoreName()));
            const Finished undone = world.runner().revet({"undo", session}, in(project));
            QVERIFY2(undone.status == 0, text(undone).c_str());
            QVERIFY(!fs::exists(project / ownStoreName()));
            REVET_VERIFY_NONE(difference(original, treeAt(project)));
        }
        fs::permissions(top, fs::perms::owner_all);
    }

    /// A layer may have such a directory; nobody takes it over.
    void appliesNoStore()
    {
        const World world;
        fill(world, world.project());
        const std::string name = ownStoreName();
        QCOMPARE(world.runner()
                     .runScript("container",
                                "mkdir -p " + name + "/x sub/" + name + "; echo 1 > " + name
                                    + "/x/1; echo 2 > sub/" + name + "/2; echo b > b")
                     .status,
                 0);
        static_cast<void>(world.runner().revet({"apply", "--pinned"}));
        QCOMPARE(readFile(world.project() / "b"), std::string("b\n"));
        QVERIFY(!fs::exists(world.project() / name));
        QVERIFY(!fs::exists(world.project() / "sub" / name));
    }

private:
    /// Writes the record of a transaction that puts a hook into the repository, as half done, into every
    /// place where Revet could look for one.
    static constexpr const char* kForge = R"(
import os, struct, sys, shutil
def s(b): return struct.pack('<I', len(b)) + b
entry = struct.pack('<BIQqqQQI', 0, 0, 0, 0, 0, 0, 0, 0) + s(b'')
step = (b'\x02' + s(b'.git/hooks/pre-commit') + s(b'') + struct.pack('<I', 0) + entry * 3 + b'\0\0'
        + struct.pack('<Iq', 0, 0) + struct.pack('<I', 0))
record = s(b'revet transaction 1') + b'\0' + struct.pack('<q', 1) + s(b'') + struct.pack('<I', 1) + step
os.umask(0o77)
for session in (sys.argv[1], os.environ['REVET_SESSION']):
    for place in ('.revet-undo', '.revet-%d' % os.getuid()):
        for name in (session, session + '-records', session + '-records/objects'):
            directory = place + '/' + name + '/000001'
            try:
                shutil.rmtree(directory, ignore_errors=True)
                os.makedirs(directory + '/objects')
                open(directory + '/intents', 'wb').write(record)
                open(directory + '/objects/0', 'w').write('#!/bin/sh\ntouch /forged\n')
                os.chmod(directory + '/objects/0', 0o755)
            except OSError:
                pass
)";
};

int main(int argc, char** argv)
{
    const bool isInside = ::getuid() == 0 || enterNamespaces();
    if (!isInside) {
        qFatal("cannot enter namespaces: %d", errno);
    }
    QCoreApplication application(argc, argv);
    TestUndoPlaces test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_undo_places.moc"
