// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/base/log.h"
#include "tests/support/temp_home.h"
#include "tests/support/tostring.h"

#include <QTest>

#include <filesystem>

namespace revet::test {

class LogTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // One order, since the log is the process's own: silent first.
    void isSilentUntilThereIsAPlaceAndThenWritesThere()
    {
        const TempHome home;
        const std::filesystem::path file = home.root() / "revet.log";
        log(LogLevel::Warning, "quiet", "lost");
        setUpLog(file);
        QVERIFY(!std::filesystem::exists(file));
        log(LogLevel::Warning, "quiet", "kept");
        log(LogLevel::Info, "later", "as well");
        const std::string text = readFile(file);
        QVERIFY(text.find("lost") == std::string::npos);
        QVERIFY(text.find("quiet: ") != std::string::npos && text.find("kept") != std::string::npos);
        QVERIFY(text.find("as well") != std::string::npos);
    }
};

} // namespace revet::test

QTEST_APPLESS_MAIN(revet::test::LogTest)
#include "tst_log.moc"
