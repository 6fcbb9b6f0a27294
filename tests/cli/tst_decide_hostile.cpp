// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/cli/decided_world.h"
#include "tests/support/kernel_gate.h"
#include "tests/support/tostring.h"
#include "tests/support/tree_snapshot.h"

#include <QTest>

#include <filesystem>
#include <memory>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

using namespace revet::test;

namespace {

namespace fs = std::filesystem;

constexpr const char* kBidi
    = "bidi\xe2\x80\xae txt.exe"; // NOLINT(misc-misleading-bidirectional): meant to mislead
constexpr const char* kSecret = "the person's own\n";

void setTime(const fs::path& file, std::int64_t seconds)
{
    const timespec times[2] = {{0, UTIME_OMIT}, {seconds, 0}};
    QCOMPARE(::utimensat(AT_FDCWD, file.c_str(), times, AT_SYMLINK_NOFOLLOW), 0);
}

} // namespace

/// SECURITY.md E011, E012, E044, E062 to E064, E073 and E080: layers written by hand, as a box that got out
/// of its own or a damaged disk would leave them, and what the commands make of them.
class DecideHostileTest : public QObject, protected DecidedWorld
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        REVET_NEEDS_LAYERS();
        REVET_NEEDS_PROGRAM("python3");
    }
    void init()
    {
        m_world = std::make_unique<World>();
        m_world->prepare("mkdir -p dir/deep ../outside; echo one > a; echo x > dir/deep/x; echo keep > keep");
        writeFile(outside() / "secret", kSecret);
        QTest::qWait(20);
        QCOMPARE(m_world->runner().runScript("container", "echo two >> a").status, 0);
        m_id = m_world->runner().lastSession();
        const fs::path gate = m_world->home().dataHome() / "revet/sessions" / m_id / "layer/closed";
        fs::permissions(gate, fs::perms::owner_all);
        m_upper = gate / "upper";
        m_before = snapshotOf(m_world->project());
        m_outsideBefore = snapshotOf(outside());
    }
    void cleanup()
    {
        // Whatever it was, nothing outside of the project was touched.
        QCOMPARE(treeDifferences(m_outsideBefore, snapshotOf(outside())), std::string());
        m_world.reset();
    }

    /// E044, E011, E012.
    void takesOnlyFilesDirectoriesAndLinksThatStayInside()
    {
        QCOMPARE(::mkfifo((m_upper / "fifo").c_str(), 0644), 0);
        bindSocket(m_upper / "socket");
        writeFile(m_upper / "strong", "x");
        QCOMPARE(::chmod((m_upper / "strong").c_str(), 07755), 0);
        fs::create_directory(m_upper / "sticky");
        QCOMPARE(::chmod((m_upper / "sticky").c_str(), 07777), 0);
        fs::create_symlink("/etc/passwd", m_upper / "absolute");
        fs::create_symlink("../outside/secret", m_upper / "up");
        fs::create_symlink("a", m_upper / "inside");
        fs::create_hard_link(outside() / "secret", m_upper / "hard");
        writeFile(m_upper / "line\nbreak\x1b[2J", "x");
        writeFile(m_upper / kBidi, "x");
        writeFile(m_upper / "raw\xff\xfe", "x");
        writeFile(m_upper / "KEEP", "x");
        writeFile(m_upper / "attributed", "x");
        QCOMPARE(::setxattr((m_upper / "attributed").c_str(), "user.evil", "y", 1, 0), 0);
        writeFile(m_upper / "future", "x");
        setTime(m_upper / "future", std::int64_t{1} << 33);
        const Finished held = revet({"apply"});
        QVERIFY2(held.status == 0, held.err.c_str());
        for (const char* const name :
             {"absolute", "up", "line\nbreak\x1b[2J", kBidi, "raw\xff\xfe", "KEEP", "fifo", "socket"}) {
            QVERIFY2(!fs::exists(fs::symlink_status(project() / name)), name);
        }
        QVERIFY2(held.out.find('\x1b') == std::string::npos, "names are escaped");
        QVERIFY(fs::is_symlink(project() / "inside"));
        QCOMPARE(mode("strong"), 0755U);
        QCOMPARE(mode("sticky"), 0777U);
        QCOMPARE(readFile(project() / "hard"), std::string(kSecret));
        QVERIFY2(inode(project() / "hard") != inode(outside() / "secret"), "a file of its own");
        QCOMPARE(::getxattr((project() / "attributed").c_str(), "user.evil", nullptr, 0), ssize_t{-1});
        const Finished all = revet({"apply", m_id, "--pinned"});
        QVERIFY2(all.status == 0, all.err.c_str());
        QVERIFY(fs::is_symlink(project() / "absolute"));
        for (const char* const name : {"fifo", "socket"}) {
            QVERIFY2(!fs::exists(fs::symlink_status(project() / name)), name);
        }
        while (revet({"undo", m_id}).out.starts_with("took back")) {
            if (treeDifferences(m_before, snapshotOf(project())).empty()) {
                return;
            }
        }
        QCOMPARE(treeDifferences(m_before, snapshotOf(project())), std::string());
    }

    /// E011: the way to a changed file has become a link on the host.
    void neverGoesThroughALinkOfTheHosts()
    {
        fs::create_directories(m_upper / "dir/deep");
        writeFile(m_upper / "dir/deep/x", "evil");
        writeFile(m_upper / "dir/deep/secret", "evil");
        fs::remove_all(project() / "dir");
        fs::create_symlink(outside(), project() / "dir");
        const TreeSnapshot now = snapshotOf(project());
        QCOMPARE(revet({"apply", m_id}).status, 6);
        QCOMPARE(treeDifferences(now, snapshotOf(project())), std::string());
        fs::remove(project() / "dir");
        fs::create_directory(project() / "dir");
        fs::create_symlink(outside(), project() / "dir/deep");
        QCOMPARE(revet({"apply", m_id}).status, 6);
    }

    /// E012: a hard link that the project shares with an outside file.
    void breaksHardLinksInsteadOfWritingThrough()
    {
        fs::create_hard_link(outside() / "secret", project() / "shared");
        m_outsideBefore = snapshotOf(outside());
        writeFile(m_upper / "shared", "evil");
        static_cast<void>(revet({"apply", m_id}));
        QCOMPARE(readFile(outside() / "secret"), std::string(kSecret));
    }

    void isNotBroughtDownBySize()
    {
        writeFile(m_upper / "huge", "x");
        QCOMPARE(::truncate((m_upper / "huge").c_str(), off_t{1} << 40), 0);
        UniqueDescent descent(m_upper.string());
        for (int i = 0; i < 400; ++i) {
            descent.enter("d");
        }
        const Finished finished = revet({"apply", m_id});
        QVERIFY2(finished.status == 0 || finished.status == 1, finished.err.c_str());
        if (finished.status == 0) {
            struct stat info = {};
            QCOMPARE(::stat((project() / "huge").c_str(), &info), 0);
            QVERIFY(info.st_blocks < 1024);
            QCOMPARE(revet({"undo", m_id}).status, 0);
        }
        QCOMPARE(treeDifferences(m_before, snapshotOf(project())), std::string());
    }

    /// E064: the layer changes while it is read.
    void aLayerThatChangesMeanwhileGivesNothingAway()
    {
        m_world->prepare(
            "cd '" + m_upper.string()
            + "'; mkdir -p race; (while ! test -e ../../stop; do "
              "ln -sfn ../../../outside/secret race/f; mv -T race/f race/x 2>/dev/null; "
              "echo file > race/f; mv -T race/f race/x 2>/dev/null; rm -f race/x; mkdir -p race/x/y; "
              "rm -rf race/x; ln -sfn /etc race/x; rm -f race/x; done) > /dev/null 2>&1 &");
        for (int i = 0; i < 25; ++i) {
            static_cast<void>(revet({"apply", m_id, "race"}));
            const fs::path landed = project() / "race/x";
            const fs::file_status status = fs::symlink_status(landed);
            QVERIFY2(!fs::is_symlink(status), "a link that leaves is held");
            const std::string text = fs::is_regular_file(status) ? readFile(landed) : "";
            QVERIFY2(text.empty() || text == "file\n", text.c_str());
        }
        m_world->prepare("touch '" + (m_upper.parent_path().parent_path() / "stop").string()
                         + "'; sleep 0.3");
    }

    /// E062: marks of overlayfs in the project itself, and marks that a box sets.
    void marksInTheProjectAndMarksOfABoxHideNothing()
    {
        QCOMPARE(::mknod((project() / "node").c_str(), S_IFCHR, makedev(0, 0)), 0);
        QCOMPARE(::setxattr((project() / "dir").c_str(), "user.overlay.opaque", "y", 1, 0), 0);
        QCOMPARE(::setxattr((project() / "keep").c_str(), "user.overlay.whiteout", "y", 1, 0), 0);
        QCOMPARE(::setxattr((project() / "dir").c_str(), "user.overlay.redirect", "/", 1, 0), 0);
        const Finished listed = m_world->runner().run(
            "container",
            {"python3", "-c",
             "import os\n"
             "print(sorted(os.listdir('.')), os.listdir('dir'), open('keep').read())\n"
             "for name in ['user.overlay.opaque', 'user.overlay.redirect', 'user.overlay.metacopy']:\n"
             "    try: os.setxattr('dir', name, b'y'); print('set')\n"
             "    except OSError: print('refused')\n"
             "for name in ['w', 'dir/w']:\n"
             "    try: os.mknod(name, 0o20600, 0); print('made')\n"
             "    except OSError: print('refused')\n"});
        QVERIFY2(listed.status == 0, listed.err.c_str());
        QVERIFY2(listed.out.find("'deep'") != std::string::npos, listed.out.c_str());
        QVERIFY(listed.out.find("keep\n") != std::string::npos);
        QVERIFY2(listed.out.find("made") == std::string::npos, listed.out.c_str());
        const Finished told = revet({"diff", m_world->runner().lastSession(), "--json"});
        QVERIFY2(told.out.find("\"deleted\"") == std::string::npos, told.out.c_str());
    }

    /// E063.
    void theBoxIsMountedWithNothingThatLeadsElsewhere()
    {
        const Finished mounted = m_world->runner().runScript(
            "container", "grep ' overlay ' /proc/self/mountinfo | grep \" $PWD \"");
        QVERIFY2(mounted.out.find("userxattr") != std::string::npos, mounted.out.c_str());
        for (const char* const option :
             {"redirect_dir=on", "redirect_dir=follow", "metacopy=on", "index=on", "nfs_export=on"}) {
            QVERIFY2(mounted.out.find(option) == std::string::npos, option);
        }
    }

    /// E064: the layer's own directories cannot be reached from within.
    void aBoxDoesNotReachItsLayer()
    {
        const std::string data = (m_world->home().dataHome() / "revet").string();
        const Finished looked = m_world->runner().runScript(
            "container",
            "ls -d '" + data + "' " + data + "/sessions/*/layer /proc/*/root" + data + " 2>/dev/null");
        QCOMPARE(looked.out, std::string());
    }

    /// E073.
    void pathsAreComparedByComponents_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("taken");
        const auto row = [](const char* path, int status, const char* taken) {
            QTest::newRow(path) << QString::fromLatin1(path) << status << QString::fromLatin1(taken);
        };
        row("new", 0, "new");
        row("./new", 0, "new");
        row("new/", 0, "new");
        row(".//new/.", 0, "new");
        row("newer/../new", 0, "new");
        row("ne", 3, "");
        row("new\xc3\xa9", 3, "");
        row("NEW", 3, "");
        row("../project/new", 0, "new");
        row("../project-evil/new", 3, "");
        row("../outside", 3, "");
        row("/etc", 3, "");
    }
    void pathsAreComparedByComponents()
    {
        QFETCH(QString, path);
        QFETCH(int, status);
        QFETCH(QString, taken);
        for (const char* const name : {"new", "newer", "new-"}) {
            fs::create_directory(m_upper / name);
            writeFile(m_upper / name / "file", "x");
        }
        fs::create_directories(m_world->home().home() / "project-evil/new");
        const Finished finished = revet({"apply", m_id, path.toStdString()});
        QVERIFY2(finished.status == status, finished.err.c_str());
        std::string found;
        for (const char* const name : {"new", "newer", "new-"}) {
            found += fs::exists(project() / name / "file") ? name : "";
        }
        QCOMPARE(found, taken.toStdString());
        QCOMPARE(readFile(project() / "a"), std::string("one\n"));
    }

    /// E080.
    void noSessionSeesAnothersLayer()
    {
        writeFile(m_upper / "poison", "x");
        const Finished other = m_world->runner().runScript("container", "cat poison a");
        QCOMPARE(other.out, std::string("one\n"));
    }

    /// 56 KiB that come to 8 GiB: one object's content, copied from another's.
    void aPackThatWantsAllMemoryGetsNone()
    {
        REVET_NEEDS_PROGRAM("git");
        const World world;
        world.makeRepository();
        const std::string deed = R"(
import hashlib, os, struct, zlib
base = bytes(1 << 24)
def header(kind, size):
    out = bytearray([kind << 4 | size & 15]); size >>= 4
    while size:
        out[-1] |= 128; out.append(size & 127); size >>= 7
    return bytes(out)
def number(size):
    out = bytearray([size & 127]); size >>= 7
    while size:
        out[-1] |= 128; out.append(size & 127); size >>= 7
    return bytes(out)
name = hashlib.sha1(b'blob %d\0' % len(base) + base).digest()
copy = bytes([0x80 | 0x70, 0xff, 0xff, 0xff])
delta = number(len(base)) + number(513 * 0xffffff) + copy * 513
pack = b'PACK' + struct.pack('>II', 2, 2)
pack += header(3, len(base)) + zlib.compress(base)
pack += header(7, len(delta)) + name + zlib.compress(delta)
pack += hashlib.sha1(pack).digest()
open('.git/objects/pack/pack-' + hashlib.sha1(pack).hexdigest() + '.pack', 'wb').write(pack)
os.system('echo two > b; git add b; git commit -qm two')
)";
        QCOMPARE(world.runner().run("container", {"python3", "-c", deed}).status, 0);
        const std::string id = world.runner().lastSession();
        const std::string measure = "import resource, subprocess, sys\n"
                                    "status = subprocess.run(sys.argv[1:]).returncode\n"
                                    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
                                    "sys.exit(status)";
        const Finished finished = world.runner().bare(
            {"/usr/bin/python3", "-c", measure, SessionRunner::program("revet"), "apply", id});
        QVERIFY2(finished.status == 0, (finished.out + finished.err).c_str());
        const std::string kilobytes
            = finished.out.substr(finished.out.rfind('\n', finished.out.size() - 2) + 1);
        QVERIFY2(std::stol(kilobytes) < 5 << 20, finished.out.c_str());
        world.prepare("test \"$(git log -1 --format=%s)\" = two; git fsck --full");
    }

private:
    /// Goes down a tree that is deeper than a path can be.
    class UniqueDescent
    {
    public:
        explicit UniqueDescent(const std::string& top)
            : m_at(::open(top.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC))
        {
        }
        UniqueDescent(const UniqueDescent&) = delete;
        UniqueDescent& operator=(const UniqueDescent&) = delete;
        UniqueDescent(UniqueDescent&&) = delete;
        UniqueDescent& operator=(UniqueDescent&&) = delete;
        ~UniqueDescent() { ::close(m_at); }
        void enter(const char* name)
        {
            QCOMPARE(::mkdirat(m_at, name, 0755), 0);
            const int below = ::openat(m_at, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
            ::close(m_at);
            m_at = below;
        }

    private:
        int m_at;
    };

    static void bindSocket(const fs::path& path)
    {
        // Its path is longer than an address can be.
        const int directory = ::open(path.parent_path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
        sockaddr_un address = {};
        address.sun_family = AF_UNIX;
        const std::string name
            = "/proc/self/fd/" + std::to_string(directory) + '/' + path.filename().string();
        name.copy(static_cast<char*>(address.sun_path), sizeof address.sun_path - 1);
        const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        QCOMPARE(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0); // NOLINT
        ::close(socket);
        ::close(directory);
    }
    [[nodiscard]] unsigned mode(const char* name) const
    {
        struct stat info = {};
        return ::lstat((project() / name).c_str(), &info) == 0 ? info.st_mode & 07777 : 0;
    }
    static ino_t inode(const fs::path& path)
    {
        struct stat info = {};
        return ::lstat(path.c_str(), &info) == 0 ? info.st_ino : 0;
    }
    [[nodiscard]] fs::path outside() const { return m_world->home().home() / "outside"; }

    fs::path m_upper;
    TreeSnapshot m_before;
    TreeSnapshot m_outsideBefore;
};

QTEST_APPLESS_MAIN(DecideHostileTest)

#include "tst_decide_hostile.moc"
