// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/egress/destination.h"

#include <QTest>

using namespace revet::egress;

/// What somebody writes as a destination.
class DestinationTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsWhatItSays_data()
    {
        QTest::addColumn<QString>("normal");
        const std::initializer_list<std::pair<const char*, const char*>> rows
            = {{"a.test:80", "a.test:80"},
               {"A.Test.", "a.test:443"},
               {"192.0.2.1:22", "192.0.2.1:22"},
               {"192.0.2.1", "192.0.2.1:443"},
               {"[2001:db8::1]:22", "[2001:db8::1]:22"},
               {"[2001:db8::1]", "[2001:db8::1]:443"},
               {"2001:db8::1", "[2001:db8::1]:443"}};
        for (const auto& [text, normal] : rows) {
            QTest::newRow(text) << QString::fromLatin1(normal);
        }
    }
    void readsWhatItSays()
    {
        QFETCH(QString, normal);
        const auto destination = Destination::parse(QTest::currentDataTag());
        QVERIFY(destination.has_value());
        QCOMPARE(QString::fromStdString(destination->text()), normal);
        QCOMPARE(Destination::parse(destination->text())->text(), destination->text());
    }

    void refusesWhatIsNone()
    {
        for (const char* const text :
             {"", ":", ":80", "a.test:", "a.test:0", "a.test:65536", "a.test:80:80", "*.a.test", "127.1:80",
              "a b", "[2001:db8::1", "[2001:db8::1]x:22", "[]:22", "]:22", "http://a.test", "10.0.0.0/8"}) {
            QVERIFY2(!Destination::parse(text), text);
        }
        QVERIFY(!Destination::parse(std::string_view("a.test\0:80", 10)));
    }

    void knowsWhatNoBoxReaches()
    {
        for (const char* const text :
             {"127.0.0.1:80", "169.254.169.254", "198.18.0.1:80", "[::1]:80", "0.0.0.0"}) {
            QVERIFY2(Destination::parse(text)->isNeverReached(), text);
        }
        for (const char* const text : {"10.0.0.1:80", "93.184.216.34", "a.test"}) {
            QVERIFY2(!Destination::parse(text)->isNeverReached(), text);
        }
    }
};

QTEST_APPLESS_MAIN(DestinationTest)
#include "tst_destination.moc"
