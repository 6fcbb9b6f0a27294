// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/world.h"
#include "tests/support/kernel_gate.h"

#include <QTest>

#include <algorithm>
#include <cctype>

using namespace revet::test;

namespace {

/// Bytes below space but for the ends of lines, and DEL: nothing that a listing may print.
bool hasControls(const std::string& text)
{
    constexpr unsigned char kDelete = 0x7f;
    return std::any_of(text.begin(), text.end(), [](unsigned char byte) {
        return (byte < ' ' && byte != '\n' && byte != '\t') || byte == kDelete;
    });
}

} // namespace

/// SECURITY.md E049 and the rows that a box tries to forge: hostile bytes never reach a person's terminal
/// raw.
class EscapeDisplayTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        REVET_NEEDS_ORDINARY_USER();
        REVET_NEEDS(UserNamespaces);
        REVET_NEEDS(SeccompNotify);
    }

    void passesBytesThroughAPipeUnchanged_data() { addTierRows(); }
    void passesBytesThroughAPipeUnchanged()
    {
        const World world;
        const Finished bare = world.bareDeed("terminal_escapes");
        world.prepare("find . -maxdepth 1 -type f -delete");
        const Finished finished = world.deed(fetched("tier"), "terminal_escapes");
        QCOMPARE(finished.out, bare.out);
    }

    void dropsWhatATerminalWouldAnswerOrKeep_data() { addTierRows(); }
    void dropsWhatATerminalWouldAnswerOrKeep()
    {
        REVET_NEEDS_PROGRAM("script");
        const World world;
        const Finished finished
            = world.runner().bare({"/usr/bin/script", "-qec",
                                   SessionRunner::program("revet") + " run --tier " + fetched("tier") + " -- "
                                       + world.victim("terminal_escapes"),
                                   "/dev/null"});
        QVERIFY2(finished.out.find("sequence") != std::string::npos, finished.out.c_str());
        QVERIFY(finished.out.find("\x1b]52") == std::string::npos);
        // A title is welcome, but says whose it is; it is never told back.
        QVERIFY(finished.out.find(";REVET-TITLE") == std::string::npos);
        QVERIFY2(finished.out.find(";revet: REVET-TITLE") != std::string::npos, finished.out.c_str());
        QVERIFY(finished.out.find("\x1b[21t") == std::string::npos);
        QVERIFY(finished.out.find("\x1bP$q") == std::string::npos);
        QVERIFY(finished.out.find('\x05') == std::string::npos);
    }

    void listsHostileNamesOnOneHarmlessLineEach_data()
    {
        QTest::addColumn<QString>("tier");
        QTest::addColumn<QString>("listing");
        for (const char* const tier : {"sandbox", "container"}) {
            for (const char* const listing : {"log", "files", "tree"}) {
                QTest::addRow("%s %s", tier, listing)
                    << QString::fromLatin1(tier) << QString::fromLatin1(listing);
            }
        }
    }
    void listsHostileNamesOnOneHarmlessLineEach()
    {
        const World world;
        QCOMPARE(world.deed(fetched("tier"), "terminal_escapes").status, 0);
        RunOptions options;
        options.environment["NO_COLOR"] = "1";
        const Finished text
            = world.runner().revet({fetched("listing"), world.runner().lastSession()}, options);
        QCOMPARE(text.status, 0);
        QVERIFY2(!hasControls(text.out), text.out.c_str());
        QVERIFY(text.out.find("\xe2\x80\xae") == std::string::npos);
        // A forged line would begin with the brace that the victim put after a newline.
        QVERIFY(text.out.find("\n{\"verdict\"") == std::string::npos);
    }

    void keepsTheBytesOfHostileNames_data() { addTierRows(); }
    void keepsTheBytesOfHostileNames()
    {
        const World world;
        QCOMPARE(world.deed(fetched("tier"), "terminal_escapes").status, 0);
        const auto events = matching(world.runner().lastEvents(), {{"kind", "create"}});
        long withBytes = 0;
        for (const auto& event : events) {
            withBytes += event.contains("target_bytes") || event.contains("path_bytes") ? 1 : 0;
        }
        QVERIFY(events.size() >= 4);
        QVERIFY(withBytes >= 1);
    }
};

QTEST_APPLESS_MAIN(EscapeDisplayTest)
#include "tst_escape_display.moc"
