// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/cli/pty_program.h"
#include "tests/integration/world.h"
#include "tests/support/kernel_gate.h"

#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <filesystem>

#include <sys/stat.h>
#include <sys/xattr.h>

using namespace revet::test;

namespace {

namespace fs = std::filesystem;

/// "renamed a -> b" and the like, of what is not git's own nor a directory, in order.
std::string told(const std::vector<nlohmann::json>& rows)
{
    std::string text;
    for (const nlohmann::json& row : rows) {
        const nlohmann::json& entry = row["after"].is_null() ? row["before"] : row["after"];
        if (!row.contains("repository") && entry.value("type", "") != "directory") {
            text += (text.empty() ? "" : "; ") + row.value("kind", "") + ' '
                + (row.contains("from") ? row.value("from", "") + " -> " : "") + row.value("path", "");
        }
    }
    return text;
}

nlohmann::json rowOf(const std::vector<nlohmann::json>& rows, const std::string& path)
{
    const auto found = matching(rows, {{"path", path}});
    return found.empty() ? nlohmann::json::object() : found.front();
}

/// The layer of the last session, with the gate before it open for as long as this lives.
class OpenedLayer
{
public:
    explicit OpenedLayer(const World& world)
        : m_gate(world.home().dataHome() / "revet/sessions" / world.runner().lastSession() / "layer/closed")
    {
        fs::permissions(m_gate, fs::perms::owner_all);
    }
    ~OpenedLayer()
    {
        std::error_code error;
        fs::permissions(m_gate, fs::perms::none, error);
    }
    OpenedLayer(const OpenedLayer&) = delete;
    OpenedLayer& operator=(const OpenedLayer&) = delete;
    OpenedLayer(OpenedLayer&&) = delete;
    OpenedLayer& operator=(OpenedLayer&&) = delete;
    [[nodiscard]] fs::path upper() const { return m_gate / "upper"; }

private:
    fs::path m_gate;
};

} // namespace

/// `revet diff`: what real boxes left, and what an enemy wrote into a layer by hand.
class DiffTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { REVET_NEEDS_LAYERS(); }

    void tellsWhatABoxChanged()
    {
        const World world;
        world.prepare(
            "mkdir -p d/e big; echo one > a; echo two > gone; echo three > d/e/moved; echo x > tool; "
            "ln -s a link; echo same > copied; for i in 1 2 3; do echo $i > big/$i; done");
        const Snapshot before = snapshot(world.project());
        const Finished finished = world.runner().runScript(
            "container",
            "echo more >> a; rm gone; mv d f; chmod +x tool; ln -sf tool link; echo n > new; "
            "sh -c 'exec 3<>copied'; rm -r big; echo file > big");
        QVERIFY2(finished.status == 0, finished.err.c_str());
        QVERIFY2(finished.err.find(" files changed: 'revet diff ") != std::string::npos,
                 finished.err.c_str());
        const auto rows = world.runner().list({"diff"});
        QCOMPARE(told(rows),
                 std::string("modified a; added big; deleted big/1; deleted big/2; deleted big/3; "
                             "renamed d/e/moved -> f/e/moved; deleted gone; modified link; added new; "
                             "modified tool"));
        QCOMPARE(rowOf(rows, "a")["hunks"].size(), std::size_t{1});
        QCOMPARE(rowOf(rows, "a")["hunks"][0].value("text", ""), std::string(" one\n+more\n"));
        QVERIFY(!rowOf(rows, "tool").value("content", true));
        REVET_VERIFY_NONE(differences(before, snapshot(world.project())));
    }

    /// In a layer, which was changed in any way, and in the project itself, against what was kept.
    void showsAFileThatWasMovedAndEdited_data() { addTierRows(); }
    void showsAFileThatWasMovedAndEdited()
    {
        REVET_NEEDS_PROGRAM("git");
        const World world;
        world.makeRepository();
        world.prepare("mkdir src; seq 100 > src/old; seq 200 260 > src/copied; echo x > src/run; "
                      "echo k > src/kept; cp -r . ../expected; cp -r . ../patched");
        const std::string script = "mkdir lib; mv src/old lib/new; sed -i 's/^50$/fifty/' lib/new; sed "
                                   "'s/^250$/changed/' src/copied "
                                   "> lib/copied; rm src/copied; mv src/run lib/run; chmod 755 lib/run";
        const Finished finished = world.runner().runScript(fetched("tier"), script);
        QVERIFY2(finished.status == 0, finished.err.c_str());
        const std::string id = world.runner().lastSession();
        const auto rows = world.runner().list({"diff", id});
        QCOMPARE(told(rows),
                 std::string("renamed src/copied -> lib/copied; renamed src/old -> lib/new; "
                             "renamed src/run -> lib/run"));
        const nlohmann::json moved = rowOf(rows, "lib/new");
        QCOMPARE(moved["hunks"].size(), std::size_t{1});
        QVERIFY(moved.value("content", false));
        QCOMPARE(moved.value("similarity", 0), 97);
        QCOMPARE(rowOf(rows, "lib/run").value("similarity", 0), 100);
        const Finished stat = world.runner().revet({"diff", id, "--stat", "lib/new"});
        QVERIFY2(stat.out.find("R     +1       -1  src/old -> lib/new") != std::string::npos,
                 stat.out.c_str());
        // By either name.
        QCOMPARE(told(world.runner().list({"diff", id, "src/old"})),
                 std::string("renamed src/old -> lib/new"));
        const Finished patch = world.runner().revet({"diff", id});
        QVERIFY2(patch.out.find("rename from src/old\nrename to lib/new\n--- a/src/old\n+++ b/lib/new\n")
                     != std::string::npos,
                 patch.out.c_str());
        writeFile(world.home().home() / "patch", patch.out);
        world.prepare("cd ../patched; git apply ../patch; cd ../expected; " + script);
        REVET_VERIFY_NONE(differences(snapshot(world.home().home() / "expected"),
                                      snapshot(world.home().home() / "patched")));
    }

    void showsModesAndAttributesAndNoTimes_data() { addTierRows(); }
    void showsModesAndAttributesAndNoTimes()
    {
        REVET_NEEDS_PROGRAM("python3");
        const World world;
        world.prepare("for f in time mode both note; do echo x > $f; done; mkdir d; "
                      "touch -d 2001-01-01 time both note");
        const Finished finished = world.runner().runScript(
            fetched("tier"),
            "touch -d 2002-02-02 time both note d; chmod 600 mode; chmod 755 both; chmod 700 d; "
            "python3 -c 'import os; os.setxattr(\"note\", \"user.note\", b\"v\")'");
        QVERIFY2(finished.status == 0, finished.err.c_str());
        const std::string id = world.runner().lastSession();
        const auto rows = world.runner().list({"diff", id});
        QCOMPARE(told(rows), std::string("modified both; modified mode; modified note"));
        QVERIFY(!matching(rows, {{"path", "d"}, {"kind", "modified"}}).empty());
        QVERIFY(rowOf(rows, "note").value("attributes", false));
        QVERIFY(!rowOf(rows, "both").value("attributes", true));
        for (const nlohmann::json& row : rows) {
            QVERIFY2(!row.value("content", true), row.dump().c_str());
        }
        const Finished text = world.runner().revet({"diff", id});
        for (const char* const line :
             {"# from 0644 file to 0600 file: mode\n", "# other extended attributes: note\n",
              "# from 0755 directory to 0700 directory: d\n", "old mode 100644\nnew mode 100755\n"}) {
            QVERIFY2(text.out.find(line) != std::string::npos, (line + text.out).c_str());
        }
        const Finished stat = world.runner().revet({"diff", id, "--stat"});
        QVERIFY2(stat.out.find("mode 0644 to 0755") != std::string::npos, stat.out.c_str());
        QVERIFY2(stat.out.find("other extended attributes") != std::string::npos, stat.out.c_str());
    }

    /// Which is no change to be shown, but one to be taken back.
    void undoBringsBackATimeAlone()
    {
        const World world;
        world.prepare("echo x > f; touch -d 2001-01-01 f");
        QCOMPARE(world.runner().runScript("sandbox", "touch -d 2002-02-02 f").status, 0);
        const std::string id = world.runner().lastSession();
        QVERIFY(world.runner().list({"diff", id}).empty());
        QCOMPARE(world.runner().revet({"undo", id}).status, 0);
        struct stat info = {};
        QCOMPARE(::stat((world.project() / "f").c_str(), &info), 0);
        QVERIFY2(info.st_mtime < 1'000'000'000, "2001");
    }

    void writesAPatchThatGitTakes()
    {
        REVET_NEEDS_PROGRAM("git");
        const World world;
        world.makeRepository();
        world.prepare("mkdir d; seq 100 > d/numbers; printf 'no end' > d/short; ln -s d l; echo x > 'a "
                      "name'; echo x > turned; "
                      "git add .; git commit -qm more; cp -r . ../expected");
        const std::string script
            = "sed -i 's/^5.$/& changed/' d/numbers; printf 'still none' > d/short; rm 'a name'; "
              "mkdir new; printf 'tab\\there\\\\n\\n' > new/file; chmod +x d/short; rm l; ln -s d/numbers l; "
              "mv tracked moved; mkdir empty; chmod 600 new/file; rm turned; ln -s l turned";
        QCOMPARE(world.runner().runScript("container", script).status, 0);
        world.prepare("cd ../expected; " + script);
        const Finished patch = world.runner().revet({"diff"});
        QVERIFY2(patch.status == 0, patch.err.c_str());
        writeFile(world.home().home() / "patch", patch.out);
        world.prepare("git apply --whitespace=nowarn ../patch; mkdir empty; chmod 600 new/file");
        QVERIFY2(patch.out.find("# from nothing to 0755 directory: empty\n") != std::string::npos,
                 patch.out.c_str());
        REVET_VERIFY_NONE(differences(snapshot(world.home().home() / "expected"), snapshot(world.project())));
    }

    void readsWhatABoxMadeUnreadable()
    {
        const World world;
        writeFile(world.project() / "f", "old\n");
        const Finished finished = world.runner().runScript(
            "container", "echo secret > f; chmod 000 f; mkdir -p d/e; echo deep > d/e/x; chmod 000 d/e d");
        QVERIFY2(finished.err.find("changed: 'revet diff ") != std::string::npos, finished.err.c_str());
        const auto rows = world.runner().list({"diff"});
        QCOMPARE(told(rows), std::string("added d/e/x; modified f"));
        QCOMPARE(rowOf(rows, "f")["hunks"][0].value("text", ""), std::string("-old\n+secret\n"));
        QCOMPARE(rowOf(rows, "d/e/x").value("added", 0), 1);
    }

    void namesWhatRunsLaterAndWhatIsOdd()
    {
        const World world;
        writeFile(world.project() / "package.json", R"({"version":"1","scripts":{"test":"jest"}})");
        writeFile(world.project() / "sub/package.json", R"({"version":"1"})");
        const Finished finished = world.runner().runScript(
            "container",
            "echo '{\"version\":\"2\",\"scripts\":{\"test\":\"evil\"}}' > package.json; "
            "echo '{\"version\":\"2\"}' > sub/package.json; mkdir .vscode; echo {} > .vscode/tasks.json; "
            "echo x > tool; chmod +x tool; ln tool again; ln -s ../../.ssh/id leaving; mkfifo pipe; echo x > "
            "TOOL");
        QVERIFY2(finished.err.find("1 of them pinned") != std::string::npos, finished.err.c_str());
        const auto rows = world.runner().list({"diff", "--stat"});
        QCOMPARE(rowOf(rows, "package.json")["keys"].dump(), std::string(R"(["scripts.test"])"));
        QVERIFY(rowOf(rows, "package.json").value("held", false));
        QVERIFY(!rowOf(rows, "sub/package.json").value("held", true));
        QCOMPARE(rowOf(rows, ".vscode/tasks.json").value("class", ""), std::string("pinned"));
        QCOMPARE(rowOf(rows, "again")["odd"].dump(), std::string(R"(["new executable","hard link"])"));
        QCOMPARE(rowOf(rows, "leaving")["odd"].dump(), std::string(R"(["link that could leave the tree"])"));
        QCOMPARE(rowOf(rows, "pipe")["odd"].dump(), std::string(R"(["fifo"])"));
        QCOMPARE(rowOf(rows, "TOOL")["odd"].dump(), std::string(R"(["differs by case only"])"));
        QVERIFY(!rowOf(rows, "TOOL").contains("hunks"));
        const Finished text = world.runner().revet({"diff"});
        QVERIFY2(text.out.find("# held: checked: javascript: package.json: scripts.test\n")
                     != std::string::npos,
                 text.out.c_str());
        QVERIFY2(text.out.find("# odd: link that could leave the tree\n") != std::string::npos,
                 text.out.c_str());
        const Finished stat = world.runner().revet({"diff", "--stat"});
        QVERIFY2(stat.out.find("; 2 held\n") != std::string::npos, stat.out.c_str());
    }

    void standsUpToALayerWrittenByHand()
    {
        const World world;
        writeFile(world.project() / "kept", "host\n");
        writeFile(world.project() / "d/f", "host\n");
        writeFile(world.home().home() / "outside/secret", "SECRET\n");
        QCOMPARE(world.runner().runScript("container", "echo x > made").status, 0);
        {
            const OpenedLayer layer(world);
            const fs::path upper = layer.upper();
            writeFile(upper / "setuid", "x");
            QCOMPARE(::chmod((upper / "setuid").c_str(), 06755), 0);
            fs::create_directory_symlink(world.home().home() / "outside", upper / "d");
            fs::create_symlink(world.home().home() / "outside/secret", upper / "kept");
            writeFile(upper / "line\nforged\x1b[31m", "\x1b]0;title\x07 \xe2\x80\xae bidi \xff\n");
            writeFile(upper / ".GIT/config", "[core]\n\tfsmonitor = evil\n");
            writeFile(upper / "marked", "x");
            QCOMPARE(::setxattr((upper / "marked").c_str(), "user.x", "x", 1, 0), 0);
            fs::create_directories(upper / "opaque");
            QCOMPARE(::setxattr((upper / "opaque").c_str(), "user.overlay.redirect", "/etc", 4, 0), 0);
        }
        const auto rows = world.runner().list({"diff"});
        const std::string all = nlohmann::json(rows).dump(-1, ' ', true);
        QVERIFY2(all.find("SECRET") == std::string::npos, all.c_str());
        QCOMPARE(rowOf(rows, "setuid")["odd"].dump(), std::string(R"(["new executable","setuid","setgid"])"));
        QCOMPARE(rowOf(rows, "marked")["odd"].dump(), std::string(R"(["extended attributes"])"));
        QCOMPARE(rowOf(rows, "kept")["after"].value("type", ""), std::string("link"));
        QVERIFY(rowOf(rows, ".GIT/config").value("held", false));
        for (const std::vector<std::string>& command :
             {std::vector<std::string>{"diff"}, std::vector<std::string>{"diff", "--stat"}}) {
            const Finished text = world.runner().revet(command);
            QCOMPARE(text.status, 0);
            QVERIFY2(text.out.find("SECRET") == std::string::npos, text.out.c_str());
            const bool isHarmless = std::ranges::all_of(text.out, [](char character) {
                const auto byte = static_cast<unsigned char>(character);
                return byte == '\n' || byte == '\t' || (byte >= 0x20 && byte != 0x7f && byte != 0xff);
            });
            // NOLINTNEXTLINE(misc-misleading-bidirectional): what must not come out
            QVERIFY2(isHarmless && text.out.find("\xe2\x80\xae") == std::string::npos, text.out.c_str());
            QVERIFY(text.out.find("line\\nforged\\x1B[31m") != std::string::npos);
        }
    }

    void showsWhatWasAskedFor()
    {
        const World world;
        QCOMPARE(world.runner()
                     .runScript("container", "mkdir d dd; echo x > d/a; echo x > dd/b; echo x > c")
                     .status,
                 0);
        const SessionRunner& runner = world.runner();
        const std::string id = runner.lastSession();
        QCOMPARE(told(runner.list({"diff", "d"})), std::string("added d/a"));
        QCOMPARE(told(runner.list({"diff", id, "./d/../c", "dd/b"})), std::string("added c; added dd/b"));
        QCOMPARE(told(runner.list({"diff", id, world.project().string()})),
                 std::string("added c; added d/a; added dd/b"));
        QCOMPARE(runner.revet({"diff", id, ".."}).status, 3);
        const Finished unknown = runner.revet({"diff", "no-such"});
        QCOMPARE(unknown.status, 3);
        QVERIFY2(unknown.err.find("neither a session nor a path that changed") != std::string::npos,
                 unknown.err.c_str());
        QCOMPARE(runner.revet({"diff", "--no-such-option"}).status, 2);
        QCOMPARE(std::count(unknown.err.begin(), unknown.err.end(), '\n'), 1L);
    }

    void keepsForTheReviewWhatHasChangesOnly()
    {
        const World world;
        const SessionRunner& runner = world.runner();
        const Finished nothing = runner.runScript("container", "cat /dev/null; touch made; rm made");
        QVERIFY2(nothing.err.find("; nothing changed; ") != std::string::npos, nothing.err.c_str());
        QVERIFY(runner.list({"ps"}).empty());
        QCOMPARE(runner.runScript("container", "touch made").status, 0);
        QCOMPARE(runner.list({"ps"}).front().value("state", ""), std::string("review"));
        QCOMPARE(told(runner.list({"diff"})), std::string("added made")); // the one whose changes wait
    }

    void refusesAnotherProjectAtTheSamePath()
    {
        const World world;
        QCOMPARE(world.runner().runScript("container", "echo x > made").status, 0);
        world.prepare("cd ..; mv project elsewhere; mkdir project");
        const Finished finished = world.runner().revet({"diff"});
        QCOMPARE(finished.status, 6);
        QVERIFY2(finished.err.find("another directory is there") != std::string::npos, finished.err.c_str());
    }

    void sumsGitsOwnFilesUp()
    {
        REVET_NEEDS_PROGRAM("git");
        const World world;
        world.makeRepository();
        const Finished finished = world.runner().runScript(
            "container", "echo more >> tracked; git commit -qam second; git branch other");
        QVERIFY2(finished.err.find("1 file and its repository changed") != std::string::npos,
                 finished.err.c_str());
        const Finished text = world.runner().revet({"diff"});
        QVERIFY2(text.out.starts_with("# repository .git: refs/heads/main, refs/heads/other and "),
                 text.out.c_str());
        QCOMPARE(text.out.find(".git/objects"), std::string::npos);
        QCOMPARE(
            rowOf(world.runner().list({"diff", "--stat"}), ".git/refs/heads/other").value("repository", ""),
            std::string(".git"));
    }

    void coloursForATerminalOnly()
    {
        const World world;
        QCOMPARE(world.runner().runScript("container", "echo x > made").status, 0);
        QCOMPARE(world.runner().revet({"diff"}).out.find('\x1b'), std::string::npos);
        const std::string revet = SessionRunner::program("revet");
        PtyProgram coloured(world.home(), {revet, "diff"});
        QVERIFY2(coloured.shows("\x1b[32m+x"), coloured.output().c_str());
        PtyProgram plain(world.home(), {"/usr/bin/env", "NO_COLOR=1", revet, "diff"});
        QVERIFY2(plain.shows("+x"), plain.output().c_str());
        QCOMPARE(plain.output().find('\x1b'), std::string::npos);
    }

    void writesOnlyKeysThatTheManualNames()
    {
        const World world;
        QCOMPARE(world.runner().runScript("container", "echo x > made; ln -s made l").status, 0);
        const std::string manual = readFile(REVET_MANUAL);
        const std::size_t begin = manual.find(".B diff\n", manual.find(".SH LISTINGS AS JSON"));
        const QString section
            = QString::fromStdString(manual.substr(begin, manual.find(".B net", begin) - begin));
        for (const nlohmann::json& row : world.runner().list({"diff"})) {
            for (const auto& [key, value] : row.items()) {
                const QRegularExpression word(QStringLiteral("\\b%1\\b").arg(QString::fromStdString(key)));
                QVERIFY2(key == "schema" || key == "session" || word.match(section).hasMatch(), key.c_str());
            }
        }
    }
};

QTEST_APPLESS_MAIN(DiffTest)
#include "tst_diff.moc"
