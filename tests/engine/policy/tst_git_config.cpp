// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/git_config.h"

#include <QTest>

using namespace revet::policy;

namespace {

/// A usual configuration of the host that most rows start from.
constexpr const char* kHost = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"
                              "[remote \"origin\"]\n\turl = https://example.org/a.git\n"
                              "\tfetch = +refs/heads/*:refs/remotes/origin/*\n";

bool staysBelowRoot(std::string_view relative)
{
    return relative.find("outside") == std::string_view::npos;
}

} // namespace

class GitConfigTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsWhatGitReads_data();
    void readsWhatGitReads();
    void refusesWhatItIsNotSureOf_data();
    void refusesWhatItIsNotSureOf();
    void judgesAddedText_data();
    void judgesAddedText();
    void judgesReplacedText_data();
    void judgesReplacedText();
    void namesTheOffendingKey();
    void refusesMoreThan64KiB();
};

void GitConfigTest::readsWhatGitReads_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("expected"); // "key=value;", "key;" without a value
    const auto row = [](const char* tag, const char* text, const char* expected) {
        QTest::newRow(tag) << QByteArray(text) << QByteArray(expected);
    };
    row("empty file", "", "");
    row("comments and blank lines", "# a\n; b\n\n \t\n", "");
    row("letters fold in section and name", "[CORE]\nfsMonitor=X\n", "core.fsmonitor=X;");
    row("subsection keeps its letters", "[Remote \"Origin\"]\nURL=u\n", "remote.Origin.url=u;");
    row("quotes in a subsection", "[a \"x\\\"y\"]\nb=1\n", "a.x\"y.b=1;");
    row("backslash in a subsection", "[a \"x\\\\y\\z\"]\nb=1\n", "a.x\\yz.b=1;");
    row("bracket in a subsection", "[a \"x]y\"]\nb=1\n", "a.x]y.b=1;");
    row("dotted section of old", "[branch.Main]\nremote=o\n", "branch.main.remote=o;");
    row("several blanks before the subsection", "[a \t \"x\"]\nb=1\n", "a.x.b=1;");
    row("key after the header", "[core] bare = true\n", "core.bare=true;");
    row("key without a value", "[core]\nbare\n", "core.bare;");
    row("empty value", "[a]\nb=\n", "a.b=;");
    row("comment after a key alone", "[a]\nb = 1 # no\nc = 2;no\n", "a.b=1;a.c=2;");
    row("quoted value", "[a]\nb = \" x # y \"\n", "a.b= x # y ;");
    row("quotes inside a value", "[a]\nb = x\" y\"z\n", "a.b=x yz;");
    row("blank before empty quotes", "[a]\nb = x \"\"\n", "a.b=x ;");
    row("escapes", "[a]\nb = \\\"\\\\\\t\n", "a.b=\"\\\t;");
    row("blanks at both ends", "[a]\nb = \t x y \t\n", "a.b=x y;");
    row("same section twice", "[a]\nb=1\n[c]\nd=2\n[A]\nB=3\n", "a.b=1;c.d=2;a.b=3;");
    row("byte order mark", "\xEF\xBB\xBF[a]\nb=1\n", "a.b=1;");
    row("CR LF", "[a]\r\nb = 1\r\n", "a.b=1;");
    row("no newline at the end", "[a]\nb = 1", "a.b=1;");
}

void GitConfigTest::readsWhatGitReads()
{
    QFETCH(const QByteArray, text);
    QFETCH(const QByteArray, expected);
    const auto entries = parseGitConfig(text.toStdString());
    QVERIFY2(entries, entries ? "" : entries.error().context.c_str());
    std::string flat;
    for (const GitConfigEntry& entry : *entries) {
        flat += entry.key + (entry.hasValue ? "=" + entry.value : "") + ";";
    }
    QCOMPARE(QByteArray::fromStdString(flat), expected);
}

void GitConfigTest::refusesWhatItIsNotSureOf_data()
{
    QTest::addColumn<QByteArray>("text");
    const auto row = [](const char* tag, const QByteArray& text) { QTest::newRow(tag) << text; };
    row("continuation", "[a]\nb = x\\\ny\n");
    row("continuation at the end of the file", "[a]\nb = x\\");
    row("continuation before CR LF", "[a]\r\nb = x\\\r\ny\r\n");
    row("continuation that hides a section", "[user]\nname = x\\\n[core]\nfsmonitor = evil\n");
    row("NUL", QByteArray("[a]\nb = x\0y\n", 12));
    row("lone CR in a value", "[a]\nb = x\ry\n");
    row("lone CR at the end of the file", "[a]\nb = x\r");
    row("unknown escape", "[a]\nb = \\x41\n");
    row("open quotes", "[a]\nb = \"x\n");
    row("open subsection", "[a \"x]\nb = 1\n");
    row("subsection over two lines", "[a \"x\ny\"]\nb = 1\n");
    row("escaped newline in a subsection", "[a \"x\\\ny\"]\nb = 1\n");
    row("subsection without quotes", "[a x]\nb = 1\n");
    row("text after the subsection", "[a \"x\"y]\nb = 1\n");
    row("open header", "[a\nb = 1\n");
    row("empty header", "[]\nb = 1\n");
    row("key before any section", "b = 1\n");
    row("key that begins with a digit", "[a]\n1b = 1\n");
    row("key with an underscore", "[a]\nb_c = 1\n");
    row("two words before the sign", "[a]\nb c = 1\n");
    row("second header on one line", "[a] [core] fsmonitor = evil\n");
    row("byte order mark in the middle",
        "[a]\n\xEF\xBB\xBF"
        "b = 1\n");
    row("form feed", "[a]\n\fb = 1\n");
}

void GitConfigTest::refusesWhatItIsNotSureOf()
{
    QFETCH(const QByteArray, text);
    QVERIFY(!parseGitConfig(text.toStdString()));
    // And what cannot be read is never harmless.
    QVERIFY(!judgeGitConfig("", text.toStdString(), staysBelowRoot).isHarmless);
}

void GitConfigTest::judgesAddedText_data()
{
    QTest::addColumn<QByteArray>("added");
    QTest::addColumn<bool>("isHarmless");
    const auto free
        = [](const char* tag, const char* added) { QTest::newRow(tag) << QByteArray(added) << true; };
    const auto held
        = [](const char* tag, const char* added) { QTest::newRow(tag) << QByteArray(added) << false; };
    free("user", "[user]\nname = A B\nemail = a@b\n");
    free("branch that tracks", "[branch \"x\"]\nremote = origin\nmerge = refs/heads/x\nrebase = true\n");
    free("branch with slashes and dots", "[branch \"feature/a.b\"]\nremote = origin\n");
    free("branch that tracks itself", "[branch \"x\"]\nremote = .\n");
    free("remote by https", "[remote \"up\"]\nurl = https://host/x.git\nfetch = +refs/*:refs/remotes/up/*\n");
    free("remote by ssh URL", "[remote \"up\"]\nurl = ssh://git@host:22/x.git\n");
    free("remote by scp name", "[remote \"up\"]\nurl = git@host:u/x.git\n");
    free("remote by path", "[remote \"up\"]\nurl = ../bare.git\n");
    free("remote by absolute path", "[remote \"up\"]\nurl = /srv/bare.git\n");
    free("remote by file URL", "[remote \"up\"]\nurl = file:///srv/bare.git\n");
    free("remote by git URL", "[remote \"up\"]\nurl = git://host/x\npushurl = http://host/x\n");
    free("remote options",
         "[remote \"up\"]\ntagopt = --no-tags\nprune = true\npromisor = true\n"
         "partialclonefilter = blob:none\n");
    free("submodule",
         "[submodule \"lib/a\"]\nurl = ../a.git\nactive = true\nbranch = main\nupdate = rebase\n");
    free("submodules as clone writes them", "[submodule]\nactive = .\n");
    free("push and pull",
         "[push]\ndefault = simple\nautoSetupRemote = true\n[pull]\nrebase = true\nff = only\n");
    free("worktrees have a configuration", "[extensions]\nworktreeConfig = true\n");
    free("worktree inside", "[core]\nworktree = ../../../sub\n");
    free("the same key again", "[core]\nbare = false\n");
    free("init, fetch", "[init]\ndefaultBranch = main\n[fetch]\nprune = true\n");

    held("fsmonitor", "[core]\nfsmonitor = evil\n");
    held("fsmonitor in other letters", "[CORE] fsMonitor = evil\n");
    held("fsmonitor without a value", "[core]\nfsmonitor\n");
    held("fsmonitor behind comments", "# [x]\n[core] ; y\n\tfsmonitor = evil # z\n");
    held("fsmonitor after CR LF", "[core]\r\nfsmonitor = evil\r\n");
    held("fsmonitor after a harmless section", "[user]\nname = x\n[core]\nfsmonitor = evil\n");
    held("fsmonitor in a dotted section", "[core.x]\nfsmonitor = evil\n");
    held("hooksPath", "[core]\nhooksPath = .h\n");
    held("sshCommand", "[core]\nsshCommand = sh -c x\n");
    held("gitProxy", "[core]\ngitProxy = x\n");
    held("editor", "[core]\neditor = x\n");
    held("pager", "[core]\npager = x\n");
    held("askPass", "[core]\naskPass = x\n");
    held("attributesFile", "[core]\nattributesFile = x\n");
    held("alias", "[alias]\nst = !evil\n");
    held("alias without a bang", "[alias]\nst = status\n");
    held("include", "[include]\npath = ../evil\n");
    held("conditional include", "[includeIf \"gitdir:/\"]\npath = ../evil\n");
    held("insteadOf", "[url \"ext::sh -c x\"]\ninsteadOf = https://\n");
    held("pushInsteadOf", "[url \"https://evil/\"]\npushInsteadOf = https://\n");
    held("external diff", "[diff]\nexternal = x\n");
    held("textconv", "[diff \"x\"]\ntextconv = x\n");
    held("filter", "[filter \"x\"]\nclean = x\n");
    held("filter process", "[filter \"lfs\"]\nprocess = x\n");
    held("merge driver", "[merge \"x\"]\ndriver = x\n");
    held("merge tool", "[mergetool \"x\"]\ncmd = x\n");
    held("credential helper", "[credential]\nhelper = !x\n");
    held("gpg program", "[gpg]\nprogram = x\n");
    held("gpg ssh program", "[gpg \"ssh\"]\nprogram = x\n");
    held("sequence editor", "[sequence]\neditor = x\n");
    held("pager of one command", "[pager]\nlog = x\n");
    held("upload pack", "[remote \"origin\"]\nuploadpack = x\n");
    held("receive pack", "[remote \"origin\"]\nreceivepack = x\n");
    held("remote helper", "[remote \"origin\"]\nvcs = ext\n");
    held("remote proxy", "[remote \"origin\"]\nproxy = http://evil\n");
    held("http proxy", "[http]\nproxy = http://evil\n");
    held("http certificates", "[http]\nsslVerify = false\n");
    held("protocol", "[protocol \"ext\"]\nallow = always\n");
    held("template", "[init]\ntemplateDir = x\n");
    held("trailer command", "[trailer \"x\"]\ncommand = x\n");
    held("interactive diff filter", "[interactive]\ndiffFilter = x\n");
    held("browser", "[web]\nbrowser = x\n");
    held("safe directory", "[safe]\ndirectory = *\n");
    held("unknown extension", "[extensions]\nfoo = 1\n");
    held("unknown key", "[future]\nthing = 1\n");
    held("url by ext", "[remote \"up\"]\nurl = ext::sh -c evil\n");
    held("url with a helper behind a scheme", "[remote \"up\"]\nurl = ssh::ext::sh\n");
    held("url by an unknown scheme", "[remote \"up\"]\nurl = ftp://host/x\n");
    held("url scheme in other letters", "[remote \"up\"]\nurl = EXT://x\n");
    held("url with a leading dash", "[remote \"up\"]\nurl = --upload-pack=x\n");
    held("url with a dash in quotes", "[remote \"up\"]\nurl = \"-oProxyCommand=x\"\n");
    held("url whose host is an option", "[remote \"up\"]\nurl = ssh://-oProxyCommand=x/y\n");
    held("url whose host is an option after a user", "[remote \"up\"]\nurl = ssh://git@-oProxyCommand=x/y\n");
    held("scp name whose host is an option", "[remote \"up\"]\nurl = git@-oProxyCommand=x:y\n");
    held("url with a newline", "[remote \"up\"]\nurl = \"https://host/\\nx\"\n");
    held("url without a value", "[remote \"up\"]\nurl\n");
    held("push url by ext", "[remote \"up\"]\npushurl = ext::x\n");
    held("tracked remote is a helper", "[branch \"x\"]\nremote = ext::sh -c evil\n");
    held("push remote is a helper", "[branch \"x\"]\npushRemote = ext::sh\n");
    held("remote whose name is an option", "[remote \"--upload-pack=x\"]\nurl = https://host/x\n");
    held("remote without a name", "[remote \"\"]\nurl = https://host/x\n");
    held("remote without a subsection", "[remote]\nurl = https://host/x\n");
    held("tag option of another kind", "[remote \"up\"]\ntagopt = --upload-pack=x\n");
    held("submodule command", "[submodule \"a\"]\nupdate = !evil\n");
    held("submodule by ext", "[submodule \"a\"]\nurl = ext::x\n");
    held("worktree outside", "[core]\nworktree = ../outside\n");
    held("worktree absolute", "[core]\nworktree = /etc\n");
    held("worktree in a home", "[core]\nworktree = ~/x\n");
    held("worktree without a value", "[core]\nworktree\n");
}

void GitConfigTest::judgesAddedText()
{
    QFETCH(const QByteArray, added);
    QFETCH(const bool, isHarmless);
    const GitConfigVerdict verdict
        = judgeGitConfig(kHost, std::string(kHost) + added.toStdString(), staysBelowRoot);
    QVERIFY2(verdict.isHarmless == isHarmless, verdict.offending.c_str());
    QCOMPARE(verdict.offending.empty(), isHarmless);
}

void GitConfigTest::judgesReplacedText_data()
{
    QTest::addColumn<QByteArray>("before");
    QTest::addColumn<QByteArray>("after");
    QTest::addColumn<bool>("isHarmless");
    const auto row = [](const char* tag, const char* before, const char* after, bool isHarmless) {
        QTest::newRow(tag) << QByteArray(before) << QByteArray(after) << isHarmless;
    };
    row("the host's own alias stays", "[alias]\nst = !x\n", "[alias]\nst = !x\n[user]\nname = n\n", true);
    row("the host's own alias in another layout", "[alias]\nst = !x\n", "[ALIAS]\n  ST = \"!x\" # c\n", true);
    row("the host's own alias changes", "[alias]\nst = !x\n", "[alias]\nst = !y\n", false);
    row("the host's own alias goes", "[alias]\nst = !x\n[user]\nname = n\n", "[user]\nname = n\n", true);
    row("everything goes", "[alias]\nst = !x\n", "", true);
    row("a repository is emptied", "[core]\nrepositoryformatversion = 0\n", "", false);
    row("a repository's format goes", "[Core]\nRepositoryFormatVersion = 0\nbare = false\n",
        "[core]\nbare = false\n", false);
    row("a repository's format changes", "[core]\nrepositoryformatversion = 0\n",
        "[core]\nrepositoryformatversion = 1\n", true);
    row("a harmless key changes", "[user]\nname = a\n", "[user]\nname = b\n", true);
    row("a harmless key goes", "[user]\nname = a\n", "[user]\n", true);
    row("an unset fsmonitor comes alive", "[core]\nfsmonitor = x\nfsmonitor = false\n",
        "[core]\nfsmonitor = x\n", false);
    row("two values change places", "[core]\nhooksPath = a\nhooksPath = b\n",
        "[core]\nhooksPath = b\nhooksPath = a\n", false);
    row("a value is doubled", "[core]\nhooksPath = a\nhooksPath = b\n",
        "[core]\nhooksPath = a\nhooksPath = b\nhooksPath = a\n", false);
    row("an include moves behind what overrules it", "[include]\npath = i\n[core]\npager = cat\n",
        "[core]\npager = cat\n[include]\npath = i\n", false);
    row("a key moves to another subsection", "[remote \"a\"]\nproxy = p\n", "[remote \"b\"]\nproxy = p\n",
        false);
    row("a remote is renamed", "[remote \"a\"]\nurl = https://h/x\n", "[remote \"b\"]\nurl = https://h/x\n",
        true);
    row("a blank hides at the end", "[core]\nhooksPath = a\n", "[core]\nhooksPath = a \"\"\n", false);
    row("a value is taken away", "[core]\nfsmonitor = false\n", "[core]\nfsmonitor\n", false);
    row("an unreadable file of the host excuses nothing", "[core]\nfsmonitor = a\\\nb\n",
        "[core]\nfsmonitor = ab\n", false);
    row("an unreadable file of the host, unchanged", "[a]\nb = c\\\nd\n", "[a]\nb = c\\\nd\n", true);
    row("a new repository", "", kHost, true);
}

void GitConfigTest::judgesReplacedText()
{
    QFETCH(const QByteArray, before);
    QFETCH(const QByteArray, after);
    QFETCH(const bool, isHarmless);
    QCOMPARE(judgeGitConfig(before.toStdString(), after.toStdString(), staysBelowRoot).isHarmless,
             isHarmless);
}

void GitConfigTest::namesTheOffendingKey()
{
    QCOMPARE(judgeGitConfig("", "[Core]\nFSMonitor = evil\n", staysBelowRoot).offending,
             std::string("core.fsmonitor = evil"));
    QCOMPARE(judgeGitConfig("", "[a]\nb = \\q\n", staysBelowRoot).offending,
             std::string("line 2: an unknown escape"));
    // Nobody to ask means no.
    QVERIFY(!judgeGitConfig("", "[core]\nworktree = ..\n", {}).isHarmless);
}

void GitConfigTest::refusesMoreThan64KiB()
{
    const std::string line = "[user]\nname = x\n";
    std::string text;
    while (text.size() + line.size() <= 64 * 1024) {
        text += line;
    }
    QVERIFY(judgeGitConfig("", text, staysBelowRoot).isHarmless);
    QVERIFY(!judgeGitConfig("", text + line, staysBelowRoot).isHarmless);
}

QTEST_APPLESS_MAIN(GitConfigTest)
#include "tst_git_config.moc"
