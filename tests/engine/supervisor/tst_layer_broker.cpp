// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/tree_move.h"
#include "tests/engine/supervisor/broker_bench.h"

#include <QTest>

using namespace revet;
using namespace revet::test;
namespace fs = std::filesystem;

namespace {

supervisor::Place placeIn(const fs::path& directory, std::string name)
{
    return {nullptr, UniqueFd(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)), directory,
            std::move(name), false};
}

} // namespace

class TestLayerBroker : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void leavesOrdinaryWorkToTheKernelAndItsRecordToTheForecast()
    {
        BrokerBench bench(supervisor::Root::Kind::Layered);
        for (const Call& made :
             {opening(at("f"), O_CREAT | O_WRONLY, 0600), withMode(Operation::MakeDirectory, at("d"), 0700),
              opening(at(".git/hooks/x"), O_RDONLY)}) {
            const Answer answer = bench.perform(made);
            QVERIFY(answer.kind == Answer::Kind::Continue);
        }
        QVERIFY(bench.facts.take().empty()); // whether they will succeed is not known here
    }

    void refusesMarksOfOverlayfs()
    {
        BrokerBench bench(supervisor::Root::Kind::Layered);
        writeFile(bench.project() / "f", "x");
        QCOMPARE(bench.error(withMode(Operation::MakeNode, at("w"), S_IFCHR | 0600)), EPERM);
        Call mark = call(Operation::SetAttribute, at("f"));
        mark.text = "user.overlay.opaque";
        QCOMPARE(bench.error(mark), EPERM);
    }

    void refusesLinksOfLowerFiles()
    {
        BrokerBench bench(supervisor::Root::Kind::Layered);
        writeFile(bench.project() / "lower", "x");
        QCOMPARE(bench.error(twoPaths(Operation::MakeLink, at("lower"), at("l"))), EXDEV);
        QVERIFY(bench.run(twoPaths(Operation::MakeLink, at("nothing"), at("l"))).wasLeftToKernel);
    }

    void renamesDirectoriesItself()
    {
        BrokerBench bench(supervisor::Root::Kind::Layered);
        writeFile(bench.project() / "d/f", "x");
        QCOMPARE(bench.error(twoPaths(Operation::Rename, at("d"), at("e"))), 0);
        QVERIFY(fs::exists(bench.project() / "e/f"));
        QVERIFY(bench.run(twoPaths(Operation::Rename, at("e/f"), at("f"))).wasLeftToKernel);
        writeFile(bench.project() / "full/f", "x");
        QCOMPARE(bench.error(twoPaths(Operation::Rename, at("e"), at("full"))), ENOTEMPTY);
    }

    void movesATreeEntryByEntry()
    {
        const TempHome home;
        const fs::path top = home.project();
        writeFile(top / "d/sub/f", "deep");
        writeFile(top / "d/f", "x");
        fs::create_symlink("f", top / "d/l");
        fs::permissions(top / "d", fs::perms(0751));
        fs::create_directory(top / "to");
        fs::create_directory(top / "to/e");
        struct stat before = {};
        QVERIFY(::stat((top / "d").c_str(), &before) == 0);
        QVERIFY(supervisor::moveTree(placeIn(top, "d"), placeIn(top / "to", "e")).has_value());
        struct stat after = {};
        QVERIFY(::stat((top / "to/e").c_str(), &after) == 0);
        QCOMPARE(after.st_mode, before.st_mode);
        QCOMPARE(after.st_mtim.tv_nsec, before.st_mtim.tv_nsec);
        QCOMPARE(readFile(top / "to/e/sub/f"), std::string("deep"));
        QVERIFY(fs::is_symlink(top / "to/e/l") && !fs::exists(top / "d"));
        QCOMPARE(std::distance(fs::directory_iterator(top / "to"), fs::directory_iterator()), 1);
    }

    void leavesATreeWhereItWasWhenItCannotBeMoved()
    {
        const TempHome home;
        const fs::path top = home.project();
        writeFile(top / "d/f", "x");
        writeFile(top / "e/f", "y");
        const auto moved = supervisor::moveTree(placeIn(top, "d"), placeIn(top, "e"));
        QCOMPARE(moved.error().errnoValue, ENOTEMPTY);
        const auto inside = supervisor::moveTree(placeIn(top, "d"), placeIn(top / "d", "x"));
        QCOMPARE(inside.error().errnoValue, EINVAL);
        fs::create_directories(top / "ro");
        fs::permissions(top / "ro", fs::perms(0555));
        if (::geteuid() != 0) {
            QVERIFY(!supervisor::moveTree(placeIn(top, "d"), placeIn(top / "ro", "x")));
        }
        QCOMPARE(readFile(top / "d/f"), std::string("x"));
        QCOMPARE(std::distance(fs::directory_iterator(top), fs::directory_iterator()), 3);
    }
};

QTEST_APPLESS_MAIN(TestLayerBroker)
#include "tst_layer_broker.moc"
