// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/build_output.h"
#include "tests/engine/policy/resource_text.h"

#include <QTest>

using namespace revet::policy;

class TestBuildOutput : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void knowsBuildOutput_data()
    {
        QTest::addColumn<QByteArray>("directory");
        QTest::addColumn<QByteArray>("present"); // what else there is
        QTest::addColumn<bool>("isOutput");
        QTest::newRow("node_modules") << QByteArray("node_modules") << QByteArray() << true;
        QTest::newRow("deep") << QByteArray("packages/a/node_modules") << QByteArray() << true;
        QTest::newRow("glob") << QByteArray("cmake-build-debug") << QByteArray() << true;
        QTest::newRow("target of cargo") << QByteArray("app/target") << QByteArray("app/Cargo.toml") << true;
        QTest::newRow("target of nobody") << QByteArray("app/target") << QByteArray("Cargo.toml") << false;
        QTest::newRow("build") << QByteArray("build") << QByteArray("CMakeLists.txt") << true;
        QTest::newRow("build of nobody") << QByteArray("build") << QByteArray("README.md") << false;
        QTest::newRow("tagged") << QByteArray("x/any") << QByteArray("x/any/CACHEDIR.TAG") << true;
        QTest::newRow("tagged above") << QByteArray("x/any") << QByteArray("x/CACHEDIR.TAG") << false;
        QTest::newRow("sources") << QByteArray("src") << QByteArray("Cargo.toml") << false;
        QTest::newRow("alike") << QByteArray("node_modules2") << QByteArray() << false;
    }
    void knowsBuildOutput()
    {
        QFETCH(QByteArray, directory);
        QFETCH(QByteArray, present);
        QFETCH(bool, isOutput);
        const auto table = BuildOutputTable::parse(resourceText("tables/build-output.toml"));
        QVERIFY2(table, table ? "" : revet::toString(table.error()).c_str());
        const auto exists = [&](const std::string& path) { return path == present.toStdString(); };
        QCOMPARE(table->matches(directory.toStdString(), exists), isOutput);
    }
    void knowsProducts()
    {
        const auto table = BuildOutputTable::parse(resourceText("tables/build-output.toml"));
        QVERIFY(table);
        for (const char* const product : {"main.o", "lib/libx.so.1.2", "a/b/C.class", "m.pyc", "x.obj"}) {
            QVERIFY2(table->matchesFile(product), product);
        }
        for (const char* const source : {"main.c", "o", "x.o/main.c", "notes.txt", "a.so.d/b"}) {
            QVERIFY2(!table->matchesFile(source), source);
        }
    }
    void refusesMalformedTables_data()
    {
        QTest::addColumn<QByteArray>("toml");
        QTest::newRow("unknown key") << QByteArray("name = \"x\"");
        QTest::newRow("path") << QByteArray("names = [\"a/b\"]");
        QTest::newRow("path of a file") << QByteArray("files = [\"a/b\"]");
        QTest::newRow("no files") << QByteArray("[[beside]]\nnames = [\"a\"]");
        QTest::newRow("no list") << QByteArray("beside = \"a\"");
    }
    void refusesMalformedTables()
    {
        QFETCH(QByteArray, toml);
        QVERIFY(!BuildOutputTable::parse(toml.toStdString()));
    }
};

QTEST_APPLESS_MAIN(TestBuildOutput)
#include "tst_build_output.moc"
