// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/turn_locks.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

#include <sys/stat.h>

using namespace revet;

namespace {

ino_t fileOf(const supervisor::TurnLock& lock)
{
    struct stat status = {};
    return ::fstat(lock.file.get(), &status) == 0 ? status.st_ino : 0;
}

} // namespace

/// Who waits for whom: sessions that can change the same file, and nobody else.
class TurnLocksTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void meetWhereRootsDo_data()
    {
        QTest::addColumn<QStringList>("ones");
        QTest::addColumn<QStringList>("others");
        QTest::addColumn<bool>("meet");
        const auto row = [](const char* name, const QStringList& one, const QStringList& other, bool meet) {
            QTest::newRow(name) << one << other << meet;
        };
        const QString project = QStringLiteral("/home/u/src/p");
        row("the same", {project}, {project}, true);
        row("one in the other", {project}, {QStringLiteral("/home/u/src/p/deep/er")}, true);
        row("neighbours", {project}, {QStringLiteral("/home/u/src/q")}, false);
        row("a name that begins alike", {project}, {QStringLiteral("/home/u/src/pp")}, false);
        row("a worktree and its repository", {QStringLiteral("/home/u/w"), project + QStringLiteral("/.git")},
            {project}, true);
        row("two worktrees", {QStringLiteral("/home/u/w"), project + QStringLiteral("/.git")},
            {QStringLiteral("/home/u/v"), project + QStringLiteral("/.git")}, true);
        row("in the home", {QStringLiteral("/home/u/p")}, {QStringLiteral("/home/u/q")}, false);
        row("outside of the home", {QStringLiteral("/srv/p")}, {QStringLiteral("/srv/p/q")}, true);
        row("neighbours outside of the home", {QStringLiteral("/srv/p")}, {QStringLiteral("/srv/q")}, false);
    }
    void meetWhereRootsDo()
    {
        const QTemporaryDir folder;
        const auto locksOf = [&](const QStringList& paths) {
            std::vector<std::string> roots;
            for (const QString& path : paths) {
                roots.push_back(path.toStdString());
            }
            return session::openTurnLocks(folder.path().toStdString() + "/turns", roots, "/home/u");
        };
        QFETCH(const QStringList, ones);
        QFETCH(const QStringList, others);
        QFETCH(const bool, meet);
        const auto one = locksOf(ones);
        const auto other = locksOf(others);
        QVERIFY(one && other);
        bool excludes = false;
        std::vector<std::size_t> order;
        for (const supervisor::TurnLock& lock : *one) {
            for (std::size_t i = 0; i < other->size(); ++i) {
                if (fileOf(lock) == fileOf((*other)[i])) {
                    excludes = excludes || lock.isExclusive || (*other)[i].isExclusive;
                    order.push_back(i);
                }
            }
        }
        QCOMPARE(excludes, meet);
        QVERIFY(std::is_sorted(order.begin(), order.end())); // taken in one order, nobody waits in a circle
    }
};

QTEST_APPLESS_MAIN(TurnLocksTest)
#include "tst_turn_locks.moc"
