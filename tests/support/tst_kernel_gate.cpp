// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/support/kernel_gate.h"
#include "tests/support/tostring.h"

#include <QTest>

#include <array>

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>

namespace revet::test {

namespace {

ino_t namespaceOf(const char* kind)
{
    struct stat status
    {
    };
    return ::stat((std::string("/proc/self/ns/") + kind).c_str(), &status) == 0 ? status.st_ino : 0;
}

} // namespace

class KernelGateTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void userNamespacesWork() { REVET_NEEDS(UserNamespaces); }
    void overlayWorks() { REVET_NEEDS(Overlay); }
    void seccompNotifyWorks() { REVET_NEEDS(SeccompNotify); }
    void landlockWorks() { REVET_NEEDS(Landlock); }

    void leavesTheTestProcessAsItWas()
    {
        const std::array before{namespaceOf("user"), namespaceOf("mnt"), namespaceOf("net")};
        for (const auto feature : {KernelFeature::UserNamespaces, KernelFeature::Overlay,
                                   KernelFeature::SeccompNotify, KernelFeature::Landlock}) {
            static_cast<void>(whyMissing(feature));
        }
        const std::array after{namespaceOf("user"), namespaceOf("mnt"), namespaceOf("net")};
        QVERIFY(before == after);
        QCOMPARE(::prctl(PR_GET_SECCOMP, 0, 0, 0, 0), SECCOMP_MODE_DISABLED);
        QCOMPARE(::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), 0);
    }

    void namesTheProgramThatIsMissing()
    {
        QCOMPARE(whyNoProgram("sh"), "");
        QVERIFY(whyNoProgram("no-such-program").find("no-such-program") != std::string::npos);
    }

    void mustWorkOnlyWhenSaidSo()
    {
        const QByteArray before = qgetenv("REVET_MUST_WORK");
        qputenv("REVET_MUST_WORK", "1");
        QVERIFY(mustWork());
        qputenv("REVET_MUST_WORK", "0");
        QVERIFY(!mustWork());
        qunsetenv("REVET_MUST_WORK");
        QVERIFY(!mustWork());
        if (!before.isNull()) {
            qputenv("REVET_MUST_WORK", before);
        }
    }
};

} // namespace revet::test

QTEST_APPLESS_MAIN(revet::test::KernelGateTest)
#include "tst_kernel_gate.moc"
