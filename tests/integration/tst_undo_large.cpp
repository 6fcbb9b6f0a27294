// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/world.h"
#include "tests/support/kernel_gate.h"

#include <QTest>

using namespace revet::test;

namespace {

/// $1: revet, $2: what makes the project, $3: what happens to it in the box.
constexpr const char* kScript = R"(
set -e
# A directory does not get smaller again.
tell() { find . -type d -printf '%p %y %m %T@\n' -o -printf '%p %y %m %T@ %s %l\n' | sort; find . -type f -print0 | sort -z | xargs -0 -r cksum; }
eval "$2"
tell > ../before
"$1" project set undo.brake=0
"$1" run --tier sandbox -- sh -c "$3"
tell > ../between
! cmp -s ../before ../between
"$1" undo
tell | diff ../before -
"$1" undo
tell | diff ../between -
)";

} // namespace

/// Accidents with much, or with large files.
class TestUndoLarge : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { REVET_NEEDS_ORDINARY_USER(); }

    void undoes_data()
    {
        QTest::addColumn<QString>("makes");
        QTest::addColumn<QString>("destroys");
        const QString many
            = QStringLiteral("for d in $(seq 100); do mkdir $d; for f in $(seq 100); do seq $f 90 > "
                             "$d/$f; done; done");
        QTest::newRow("sed -i over 10,000 files")
            << many << QStringLiteral("find . -type f -print0 | xargs -0 sed -i s/8/eight/");
        QTest::newRow("rm of 10,000 files") << many << QStringLiteral("rm -rf ./*");
        QTest::newRow("10,000 files in one directory, renamed")
            << QStringLiteral("mkdir d; for f in $(seq 10000); do echo $f > d/$f; done")
            << QStringLiteral("mv d e; for f in $(seq 1 7 10000); do mv e/$f e/$f.old; done");
        const QString large = QStringLiteral("head -c 1G /dev/urandom > large; cp large other");
        QTest::newRow("1 GiB removed and replaced")
            << large << QStringLiteral("rm large; head -c 1000 other > new; mv new other");
        QTest::newRow("1 GiB of holes")
            << QStringLiteral(
                   "truncate -s 1G sparse; printf x | dd of=sparse bs=1 seek=500M conv=notrunc 2>&1")
            << QStringLiteral(
                   "printf yyy | dd of=sparse bs=1 seek=499M conv=notrunc 2>&1; truncate -s 600M sparse");
    }
    void undoes()
    {
        QFETCH(QString, makes);
        QFETCH(QString, destroys);
        const World world;
        RunOptions options;
        options.timeout = std::chrono::minutes(15);
        const Finished finished
            = world.runner().bare({"/bin/bash", "-c", kScript, "bash", SessionRunner::program("revet"),
                                   makes.toStdString(), destroys.toStdString()},
                                  options);
        QVERIFY2(!finished.timedOut, "the machine was too slow");
        QVERIFY2(finished.status == 0, (finished.out + finished.err).substr(0, 5000).c_str());
    }
};

QTEST_GUILESS_MAIN(TestUndoLarge)
#include "tst_undo_large.moc"
