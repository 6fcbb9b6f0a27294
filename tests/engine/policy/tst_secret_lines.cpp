// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/secret_lines.h"

#include <QTest>

using namespace revet::policy;

class SecretLinesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keepsWhatIsNoSecret_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("kept");
        const auto row = [](const char* tag, const char* text, const char* kept) {
            QTest::newRow(tag) << QByteArray(text) << QByteArray(kept);
        };
        row("cargo's source",
            "[source.crates-io]\nreplace-with = \"m\"\n[source.m]\nregistry = \"sparse+https://m.test/\"\n",
            "[source.crates-io]\nreplace-with = \"m\"\n[source.m]\nregistry = \"sparse+https://m.test/\"\n");
        row("cargo's token", "[registries.m]\nindex = \"sparse+https://m.test/\"\nToken = \"abc\"\n",
            "[registries.m]\nindex = \"sparse+https://m.test/\"\n");
        row("in one line", "r = { index = \"https://m.test\", token = \"abc\" }\nx = 1", "x = 1\n");
        row("in an address", "index = \"https://bob:abc@m.test/\"\njobs = 2\n", "jobs = 2\n");
        row("go", "GOPROXY=https://bob:abc@m.test\nGOPRIVATE=m.test\nGOAUTH=netrc\n", "GOPRIVATE=m.test\n");
        row("over several lines", "a = 1\ntoken = \"\"\"\nabc\"\"\"\n", "");
        row("over several lines, the other quotes", "a = '''\nabc'''\n", "");
        row("nothing", "", "");
        row("no line's end", "a = 1", "a = 1\n");
    }
    void keepsWhatIsNoSecret()
    {
        QFETCH(const QByteArray, text);
        QFETCH(const QByteArray, kept);
        QCOMPARE(QByteArray::fromStdString(withoutSecretLines(text.toStdString())), kept);
    }
};

QTEST_GUILESS_MAIN(SecretLinesTest)
#include "tst_secret_lines.moc"
