// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/cli/pty_program.h"
#include "tests/integration/world.h"
#include "tests/support/kernel_gate.h"

#include <QTest>

using namespace revet::test;

/// `revet project trust`: a person trusts the settings that they saw.
class TrustTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { REVET_NEEDS_ORDINARY_USER(); }

    void trustsOnlyWhatWasShown()
    {
        const World world;
        const auto isTrusted = [&] {
            return world.runner().revet({"project"}).out.find("is not trusted") == std::string::npos;
        };
        writeFile(world.project() / ".revet.toml", "bind_ro = ['/etc']\n");
        const Finished unseen = world.runner().revet({"project", "trust"});
        QCOMPARE(unseen.status, 2);
        QVERIFY2(unseen.out.find("bind_ro") != std::string::npos, unseen.out.c_str());
        const std::string hash = unseen.out.substr(unseen.out.find("hash ") + 5, 64);
        for (const bool isYes : {false, true}) {
            PtyProgram program(world.home(), {SessionRunner::program("revet"), "project", "trust"});
            QVERIFY2(program.shows("/etc") && program.shows("trust it? [y/N]"), program.output().c_str());
            QVERIFY(!isTrusted());
            program.type(isYes ? "y\n" : "\n");
            QCOMPARE(program.status(), std::optional(isYes ? 0 : 5));
            QCOMPARE(isTrusted(), isYes);
        }
        writeFile(world.project() / ".revet.toml", "bind_ro = ['/var']\n");
        QCOMPARE(world.runner().revet({"project", "trust", "--hash", hash}).status, 6);
        QVERIFY(!isTrusted());
        writeFile(world.project() / ".revet.toml", "bind_ro = ['/etc']\n");
        QCOMPARE(world.runner().revet({"project", "trust", "--hash", hash}).status, 0);
        QVERIFY(isTrusted());
    }
};

QTEST_APPLESS_MAIN(TrustTest)

#include "tst_trust.moc"
