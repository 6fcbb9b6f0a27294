// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/brake.h"

#include <QTest>

using namespace revet;
using namespace revet::workspace;
using namespace std::chrono_literals;

namespace {

/// A brake and its time.
struct Road
{
    explicit Road(const Brake::Limits& limits = {})
        : brake(limits)
    {
    }
    /// Whether the removal was refused.
    bool removes(const std::string& path, bool isDirectory = false)
    {
        const bool isAgainst = brake.removing(path, isDirectory, now).has_value();
        if (isAgainst) {
            brake.refuse();
        }
        return isAgainst;
    }
    int removesMany(const std::string& directory, int count)
    {
        int refused = 0;
        for (int i = 0; i < count; ++i) {
            refused += removes(directory + std::to_string(i)) ? 1 : 0;
        }
        return refused;
    }
    Brake brake;
    SteadyTime now{1h};
};

} // namespace

class TestBrake : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void stopsABurst()
    {
        Road road;
        QCOMPARE(road.removesMany("src/", 250), 50);
        QCOMPARE(road.brake.pulls(), 1U);
        QCOMPARE(road.brake.refused(), 50U);
        QVERIFY(road.removes("src", true)); // the rest of it, too
    }
    void saysWhere()
    {
        Road road;
        road.removesMany("docs/", 30);
        road.removesMany("src/a/", 160);
        road.removesMany("top", 10);
        QVERIFY(road.brake.removing("src/a/x", false, road.now));
        QCOMPARE(road.brake.places(), std::string("160 in src, 30 in docs, 10 at the top"));
        QCOMPARE(road.brake.refused(), 0U); // nobody has said so yet
    }
    void namesFivePlacesAtMost()
    {
        Road road;
        for (int i = 0; i < 10; ++i) {
            road.removesMany("d" + std::to_string(i) + '/', 20 - i);
        }
        QCOMPARE(road.brake.places(),
                 std::string("20 in d0, 19 in d1, 18 in d2, 17 in d3, 16 in d4, 65 elsewhere"));
    }
    void holdsUntilNobodyPulls()
    {
        Road road;
        road.removesMany("src/", 201);
        road.now += 9s;
        QVERIFY(road.removes("src/x"));
        road.now += 9s; // since the last try, although the burst itself is long over
        QVERIFY(road.removes("src/x"));
        road.now += 10s;
        QVERIFY(!road.removes("src/x"));
    }
    void letsSlowWorkPass()
    {
        Road road;
        for (int i = 0; i < 100; ++i) {
            QCOMPARE(road.removesMany("src/" + std::to_string(i) + '/', 100), 0);
            road.now += 6s;
        }
    }
    void doesNotCountWhatComesBack()
    {
        // As a checkout of another commit does to every file that differs, or an editor to one.
        Road road;
        for (int i = 0; i < 5000; ++i) {
            const std::string path = "src/" + std::to_string(i);
            QVERIFY(!road.removes(path));
            road.brake.made(path);
        }
        QCOMPARE(road.removesMany("src/", 200), 0);
        QVERIFY(road.removes("src/last"));
    }
    void countsAPathOnce()
    {
        Road road({2, 10s, 20, 20});
        QVERIFY(!road.removes("src/a"));
        QVERIFY(!road.removes("src/a"));
        QVERIFY(!road.removes("src/b"));
        QVERIFY(road.removes("src/c"));
    }
    void letsOneDirectoryGo()
    {
        Road road;
        QCOMPARE(road.removesMany("docs/", 50), 0);
        QVERIFY(!road.removes("docs", true));
    }
    void stopsAtTheSecondDirectoryOfTheTop()
    {
        Road road;
        road.removesMany("docs/", 50);
        QVERIFY(!road.removes("docs", true));
        QVERIFY(road.removes("src/main.cpp"));
    }
    void stopsASweepOfTheTop()
    {
        Road road;
        QCOMPARE(road.removesMany("file", 30), 10);
    }
    void forgetsAfterAWhile()
    {
        Road road;
        road.removesMany("docs/", 50);
        QVERIFY(!road.removes("docs", true));
        road.now += 10s;
        QVERIFY(!road.removes("src/main.cpp"));
        QCOMPARE(road.removesMany("src/", 199), 0);
    }
    void canBeTakenOff()
    {
        Road road({0, 10s, 20, 20});
        QCOMPARE(road.removesMany("src/", 10'000), 0);
    }
};

QTEST_APPLESS_MAIN(TestBrake)
#include "tst_brake.moc"
