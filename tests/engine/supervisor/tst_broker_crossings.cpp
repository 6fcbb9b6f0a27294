// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/fresh_file.h"
#include "engine/supervisor/shown_change.h"
#include "tests/engine/supervisor/broker_bench.h"

#include <QTest>

#include <array>

using namespace revet;
using namespace revet::supervisor;
using namespace revet::test;
namespace fs = std::filesystem;

namespace {

const char* const kTable = "dependency_directories = [\"node_modules\"]\n"
                           "[[entry]]\ngroup = \"editors\"\nclass = \"pinned\"\nwhy = \"runs on opening\"\n"
                           "paths = [\".vscode/**\", \".envrc\", \".autorun\"]\n";

/// A person who has said yes to some, and has not heard of the rest yet.
class Person final : public Crossings
{
public:
    [[nodiscard]] bool permits(const Caller& /*caller*/, const Crossing& crossing) override
    {
        return (permitted == crossing.target && (why.empty() || why == crossing.why));
    }
    [[nodiscard]] Reply ask(const Caller& caller, const Crossing& crossing) override
    {
        asked.push_back(crossing);
        calls.push_back(caller.call);
        return reply;
    }
    void over(std::uint64_t call) override { ended.push_back(call); }

    std::string permitted; ///< target
    std::string why; ///< empty: any
    Reply reply{true, {}};
    std::vector<Crossing> asked;
    std::vector<std::uint64_t> calls;
    std::vector<std::uint64_t> ended;
};

struct Bench
{
    Bench() { broker.askOf(person); }
    /// Whether the call has no answer yet.
    bool waits(Call made)
    {
        made.notification = 7;
        return broker.perform(made).kind == Answer::Kind::Later;
    }
    [[nodiscard]] std::string path(const std::string& name) const
    {
        return (broker.project() / name).string();
    }
    BrokerBench broker{Root::Kind::Brokered, kTable};
    Person person;
};

Call writing(const std::string& path)
{
    return opening(at(path), O_WRONLY | O_CREAT | O_TRUNC, 0644);
}

} // namespace

/// What the person can permit is asked about, and waits; nothing else is.
class TestBrokerCrossings : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void waitsAndThenIsDone()
    {
        Bench bench;
        QVERIFY(bench.waits(writing(".envrc")));
        QVERIFY(!fs::exists(bench.path(".envrc")));
        QCOMPARE(bench.person.asked.size(), std::size_t{1});
        QVERIFY(bench.person.asked[0].kind == AskKind::RunLater);
        QCOMPARE(bench.person.asked[0].target, bench.path(".envrc"));
        QVERIFY(
            bench.person.asked[0].why.starts_with("run-later: editors: .envrc; what it writes is not known"));
        QVERIFY(bench.person.ended.empty());
        QVERIFY(bench.broker.facts.take().empty());
        bench.person.permitted = bench.path(".envrc");
        QVERIFY(!bench.waits(writing(".envrc")));
        QVERIFY(fs::exists(bench.path(".envrc")));
        QCOMPARE(bench.person.ended, std::vector<std::uint64_t>{7});
        QCOMPARE(bench.person.asked.size(), std::size_t{1});
    }

    void saysWhyItIsDenied()
    {
        Bench bench;
        bench.person.reply = {false, "denied before: k3f9q2-1"};
        QCOMPARE(bench.broker.error(writing(".envrc")), EACCES);
        const Fact fact = bench.broker.facts.take().back();
        QVERIFY(fact.verdict == Verdict::Denied);
        QCOMPARE(fact.rule, std::string("run-later: editors: .envrc; denied before: k3f9q2-1"));
        QVERIFY(!fs::exists(bench.path(".envrc")));
    }

    void forgetsWhatIsNotTriedAgain()
    {
        Bench bench;
        QVERIFY(bench.waits(writing(".envrc")));
        bench.broker.forget(7);
        QCOMPARE(bench.person.ended, std::vector<std::uint64_t>{7});
    }

    void asksAboutEachWayToWrite_data()
    {
        QTest::addColumn<int>("which");
        const std::array names{"open",         "truncate",    "remove", "mode",      "hook",
                               "rename there", "rename away", "mkdir",  "git config"};
        for (std::size_t i = 0; i < names.size(); ++i) {
            QTest::newRow(names[i]) << static_cast<int>(i);
        }
    }
    void asksAboutEachWayToWrite()
    {
        Bench bench;
        fs::create_directories(bench.path(".git/hooks"));
        writeFile(bench.path(".git/config"), "[core]\n\tbare = false\n");
        writeFile(bench.path(".git/config.lock"), "[core]\n\tbare = false\n\tfsmonitor = touch x\n");
        writeFile(bench.path(".envrc"), "old\n");
        writeFile(bench.path("new"), "new\n");
        const std::array calls{
            opening(at(".envrc"), O_WRONLY),
            call(Operation::Truncate, at(".envrc")),
            call(Operation::Remove, at(".envrc")),
            withMode(Operation::ChangeMode, at(".envrc"), 0755),
            writing(".git/hooks/pre-commit"),
            twoPaths(Operation::Rename, at("new"), at(".envrc")),
            twoPaths(Operation::Rename, at(".envrc"), at("elsewhere")),
            withMode(Operation::MakeDirectory, at(".vscode/x"), 0755),
            twoPaths(Operation::Rename, at(".git/config.lock"), at(".git/config")),
        };
        fs::create_directory(bench.path(".vscode"));
        QFETCH(int, which);
        const Call& made = calls.at(static_cast<std::size_t>(which));
        QVERIFY(bench.waits(made));
        QCOMPARE(readFile(bench.path(".envrc")), std::string("old\n"));
        QCOMPARE(bench.person.asked.size(), std::size_t{1});
        bench.person.permitted = bench.person.asked[0].target;
        bench.person.why = bench.person.asked[0].why;
        QVERIFY(!bench.waits(made));
        QVERIFY(bench.broker.facts.take().back().verdict == Verdict::Permitted);
    }

    void putsInPlaceWhatWasShown()
    {
        Bench bench;
        writeFile(bench.path(".envrc"), "one\ntwo\n");
        writeFile(bench.path("new"), "one\n2\n");
        const Call made = twoPaths(Operation::Rename, at("new"), at(".envrc"));
        const UniqueFd kept(::open(bench.path("new").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
        QVERIFY(bench.waits(made));
        QVERIFY(bench.person.asked[0].why.ends_with("\n-two\n+2"));
        bench.person.permitted = bench.path(".envrc");
        bench.person.why = bench.person.asked[0].why;
        QCOMPARE(::write(kept.get(), "3\n", 2), ssize_t{2});
        QVERIFY(bench.waits(made)); // another content is another question
        QVERIFY(bench.person.asked[1].why.ends_with("\n-two\n+2\n+3"));
        bench.person.why = bench.person.asked[1].why;
        QVERIFY(!bench.waits(made));
        QCOMPARE(::write(kept.get(), "4\n", 2), ssize_t{2});
        QCOMPARE(readFile(bench.path(".envrc")), std::string("one\n2\n3\n"));
        QVERIFY(!fs::exists(bench.path("new")));
    }

    void neverAsksAboutTheRest_data()
    {
        QTest::addColumn<int>("which");
        const std::array names{
            "hard link there", "hard link of it",       "symbolic link",     "exchange", "directory", "fifo",
            "too large",       "existing, exclusively", "undo's own places", "set-id",   "ordinary"};
        for (std::size_t i = 0; i < names.size(); ++i) {
            QTest::newRow(names[i]) << static_cast<int>(i);
        }
    }
    void neverAsksAboutTheRest()
    {
        Bench bench;
        writeFile(bench.path(".envrc"), "old\n");
        writeFile(bench.path("new"), "new\n");
        writeFile(bench.path("large"), std::string(kMaximumJudgedFile + 1, 'x'));
        fs::create_directories(bench.path("code"));
        writeFile(bench.path("code/tasks.json"), "{}");
        const std::array calls{
            twoPaths(Operation::MakeLink, at("new"), at(".autorun")),
            twoPaths(Operation::MakeLink, at(".envrc"), at("other")),
            symlinking("new", at(".autorun")),
            twoPaths(Operation::Rename, at("new"), at(".envrc"), RENAME_EXCHANGE),
            twoPaths(Operation::Rename, at("code"), at(".vscode")),
            withMode(Operation::MakeNode, at(".autorun"), S_IFIFO | 0644),
            twoPaths(Operation::Rename, at("large"), at(".envrc")),
            opening(at(".envrc"), O_WRONLY | O_CREAT | O_EXCL, 0644),
            writing(".revet-" + std::to_string(::getuid()) + "/x"),
            withMode(Operation::ChangeMode, at(".envrc"), 04755),
            writing("new"),
        };
        QFETCH(int, which);
        // Also with a yes for all of the session.
        for (const char* const permitted : {"", ".envrc", ".vscode", ".autorun"}) {
            bench.person.permitted = bench.path(permitted);
            QVERIFY(!bench.waits(calls.at(static_cast<std::size_t>(which))));
        }
        QVERIFY(bench.person.asked.empty());
        QCOMPARE(readFile(bench.path(".envrc")), std::string("old\n"));
        for (const char* const name : {".vscode", ".autorun", "other"}) {
            QVERIFY2(!fs::exists(fs::symlink_status(bench.path(name))), name);
        }
    }

    void showsChanges_data()
    {
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QByteArray>("after");
        QTest::addColumn<QByteArray>("shown");
        QTest::newRow("new") << QByteArray() << QByteArray("a\nb\n") << QByteArray("it is to be\n+a\n+b");
        QTest::newRow("middle") << QByteArray("a\nb\nc\n") << QByteArray("a\nB\nX\nc\n")
                                << QByteArray("of it is to change, after line 1\n-b\n+B\n+X");
        QTest::newRow("no end") << QByteArray("a\n") << QByteArray("a\nb")
                                << QByteArray("of it is to change, after line 1\n+b\n (no end of line)");
        QTest::newRow("emptied") << QByteArray("a\n") << QByteArray()
                                 << QByteArray("of it is to change, after line 0\n-a");
        QTest::newRow("the same") << QByteArray("a\n") << QByteArray("a\n")
                                  << QByteArray("of it is to change, after line 1");
        QTest::newRow("repeated") << QByteArray("a\na\n") << QByteArray("a\na\na\n")
                                  << QByteArray("of it is to change, after line 2\n+a");
        QTest::newRow("control characters") << QByteArray() << QByteArray("\x1b[2J\0x", 6)
                                            << QByteArray("it is to be\n+\x1b[2J\0x\n (no end of line)", 37);
    }
    void showsChanges()
    {
        QFETCH(QByteArray, before);
        QFETCH(QByteArray, after);
        QFETCH(QByteArray, shown);
        const auto text = shownChange(before.toStdString(), after.toStdString());
        QVERIFY(text.has_value());
        QCOMPARE(QByteArray::fromStdString(*text), shown);
    }
    void showsDifferentContentsDifferently()
    {
        QVERIFY(*shownChange("", "a") != *shownChange("", "a (no end of line)\n"));
        QVERIFY(*shownChange("", "a") != *shownChange("", "a\n (no end of line)\n"));
    }
    void showsNamesAsNoLines()
    {
        Bench bench;
        fs::create_directories(bench.path(".git/hooks"));
        writeFile(bench.path("new"), "evil\n");
        QVERIFY(bench.waits(twoPaths(Operation::Rename, at("new"), at(".git/hooks/x\n+harmless"))));
        const std::string& why = bench.person.asked[0].why;
        QVERIFY2(why.find("hooks/x\\n+harmless; it is to be\n+evil") != std::string::npos, why.c_str());
    }
    void showsNothingThatIsTooMuch()
    {
        QVERIFY(shownChange("", std::string(8000, 'x')));
        QVERIFY(!shownChange("", std::string(9000, 'x')));
        QVERIFY(shownChange(std::string(60'000, 'x') + "\na\n", std::string(60'000, 'x') + "\nb\n"));
    }
};

QTEST_APPLESS_MAIN(TestBrokerCrossings)
#include "tst_broker_crossings.moc"
