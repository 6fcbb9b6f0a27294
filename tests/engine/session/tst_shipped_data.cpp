// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/shipped_data.h"
#include "tests/support/temp_home.h"

#include <QTest>

#include <filesystem>
#include <fstream>

using namespace revet;
using session::ShippedData;
namespace fs = std::filesystem;

class ShippedDataTest : public QObject
{
    Q_OBJECT

    /// A copy of what this build ships, to be damaged, and no data of a person's own.
    struct Shipped
    {
        Shipped()
        {
            installation.share = home.root() / "share";
            fs::copy(REVET_SHARE, installation.share, fs::copy_options::recursive);
            places.config = home.root() / "config";
            places.runtime = home.runtimeDirectory();
        }
        void damage(const char* file) const
        {
            const fs::path whole = installation.share / file;
            fs::resize_file(whole, fs::file_size(whole) - 1);
        }
        [[nodiscard]] ShippedData data() const { return {installation, places}; }

        test::TempHome home;
        session::Installation installation;
        Places places;
    };
    static bool isMalformed(const auto& result)
    {
        return !result && result.error().code == ErrorCode::Malformed;
    }

private Q_SLOTS:
    void givesWhatIsPreloadedAndWhatIsNot()
    {
        const Shipped shipped;
        ShippedData data = shipped.data();
        QVERIFY(data.preload());
        for (int i = 0; i < 2; ++i) { // the second time from the files
            const auto profiles = data.profiles();
            QVERIFY(profiles && profiles->profiles().contains("git"));
            const auto environment = data.environment();
            QVERIFY(environment && environment->passes("TERM", "xterm"));
        }
        QVERIFY(data.hiddenNames() && data.hiddenNames()->match(".env"));
        QVERIFY(data.runLater() && data.runLater()->match(".envrc"));
        QVERIFY(data.buildOutput());
    }

    void refusesEachThatIsDamaged_data()
    {
        QTest::addColumn<QByteArray>("file");
        for (const char* const file :
             {"profiles/base.compiled", "tables/environment.compiled", "tables/hidden.compiled",
              "tables/run-later.compiled", "tables/build-output.compiled"}) {
            QTest::newRow(file) << QByteArray(file);
        }
    }

    void refusesEachThatIsDamaged()
    {
        QFETCH(QByteArray, file);
        const Shipped shipped;
        shipped.damage(file.constData());
        ShippedData data = shipped.data();
        QCOMPARE(isMalformed(data.preload()), file.startsWith("profiles") || file.contains("environment"));
        QCOMPARE(isMalformed(data.profiles()), file.startsWith("profiles"));
        QCOMPARE(isMalformed(data.environment()), file.contains("environment"));
        QCOMPARE(isMalformed(data.hiddenNames()), file.contains("hidden"));
        QCOMPARE(isMalformed(data.runLater()), file.contains("run-later"));
        QCOMPARE(isMalformed(data.buildOutput()), file.contains("build-output"));
    }
};

QTEST_APPLESS_MAIN(ShippedDataTest)
#include "tst_shipped_data.moc"
