// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/journal/event_json.h"
#include "engine/journal/export.h"
#include "tests/engine/journal/journal_fixture.h"

#include <sstream>

#include <nlohmann/json.hpp>

namespace revet::journal::test {

namespace {

constexpr const char* kHostile = "/p/<script>alert('1')</script>|[x](y)`\x1b]52;c;aGk=\x07\n\xe2\x80\xae.txt";

std::string exported(ExportFormat format)
{
    const QTemporaryDir folder;
    const auto writer = createWriter(pathIn(folder, "journal.db"));
    if (!writer) {
        return {};
    }
    ProcessRecord process = sampleProcess(1);
    process.argv = {"sh", "-c", "<b>&\"bold\"</b>"};
    writer->update(process);
    Event event = sampleEvent(3);
    event.process = ProcessNumber(1);
    event.target = kHostile;
    writer->append(event);
    event.target = "/p/caf\xc3\xa9-\xff";
    event.process = {};
    writer->append(event);
    if (!writer->close()) {
        return {};
    }
    auto reader = JournalReader::open(pathIn(folder, "journal.db"));
    std::string text;
    const auto sink = [&text](std::string_view piece) -> Result<void> {
        text += piece;
        return {};
    };
    return reader && exportJournal(*reader, format, sink) ? text : std::string();
}

} // namespace

class TestExport : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void writesOneJsonObjectALineWithTheContractsKeys();
    void givesBytesThatAreNotUtf8InBase64();
    void keepsAJsonLineInAscii();
    void escapesHtmlAndHasNoScript();
    void keepsMarkdownTablesWhole();
    void stopsWhenTheSinkFails();
    void knowsItsFormats();
};

void TestExport::writesOneJsonObjectALineWithTheContractsKeys()
{
    std::istringstream lines(exported(ExportFormat::JsonLines));
    std::string line;
    QVERIFY(std::getline(lines, line));
    const auto object = nlohmann::json::parse(line);
    for (const char* key : {"schema", "seq", "time", "session", "kind", "pid", "exe", "command", "target",
                            "verdict", "reach", "rule", "count", "errno"}) {
        QVERIFY2(object.contains(key), key);
    }
    QCOMPARE(object["schema"].get<std::string>(), std::string("revet.v1"));
    QCOMPARE(object["seq"].get<int>(), 1);
    QCOMPARE(object["session"].get<std::string>(), std::string("k3f9q2"));
    QCOMPARE(object["time"].get<std::string>(), std::string("2023-11-14T22:13:20.423456Z"));
    QCOMPARE(object["kind"].get<std::string>(), std::string("read"));
    QCOMPARE(object["verdict"].get<std::string>(), std::string("permitted"));
    QCOMPARE(object["pid"].get<int>(), 4001);
    QCOMPARE(object["exe"].get<std::string>(), std::string("/usr/bin/cc"));
    QCOMPARE(object["target"].get<std::string>(), std::string(kHostile));
    QVERIFY(!object.contains("path_bytes"));
    QVERIFY(std::getline(lines, line));
    QVERIFY(nlohmann::json::parse(line)["pid"].is_null());
    QVERIFY(!std::getline(lines, line));
}

void TestExport::givesBytesThatAreNotUtf8InBase64()
{
    Event event = sampleEvent(1);
    event.target = "/p/caf\xc3\xa9-\xff";
    const auto object = toJson(event, nullptr, sampleSession().id);
    QCOMPARE(object["target"].get<std::string>(), std::string("/p/caf\xc3\xa9-\\xff"));
    QCOMPARE(object["path_bytes"].get<std::string>(), std::string("L3AvY2Fmw6kt/w=="));
    for (const char* invalid : {"\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\x80", "\xf8"}) {
        event.target = invalid;
        const auto escaped = toJson(event, nullptr, sampleSession().id);
        QVERIFY2(escaped.contains("path_bytes"), escaped["target"].get<std::string>().c_str());
    }
}

void TestExport::keepsAJsonLineInAscii()
{
    const std::string text = exported(ExportFormat::JsonLines);
    QVERIFY(!text.empty());
    for (const char byte : text) {
        QVERIFY(byte == '\n' || (byte >= 0x20 && byte < 0x7f));
    }
}

void TestExport::escapesHtmlAndHasNoScript()
{
    const std::string text = exported(ExportFormat::Html);
    QVERIFY(text.find("</html>") != std::string::npos);
    QVERIFY(text.find("&lt;script&gt;") != std::string::npos);
    for (const char* forbidden : {"<script", "<b>", "\x1b", "\x07", "\xe2\x80\xae", "http://", "https://"}) {
        QVERIFY2(text.find(forbidden) == std::string::npos, forbidden);
    }
}

void TestExport::keepsMarkdownTablesWhole()
{
    const std::string text = exported(ExportFormat::Markdown);
    QVERIFY(text.find("## Timeline") != std::string::npos);
    QVERIFY(text.find("<script") == std::string::npos);
    QVERIFY(text.find("[x](y)") == std::string::npos);
    std::istringstream lines(text);
    std::string line;
    std::ptrdiff_t bars = 0;
    while (std::getline(lines, line)) {
        if (line.empty() || line.front() != '|') {
            bars = 0;
            continue;
        }
        const std::ptrdiff_t here = std::count(line.begin(), line.end(), '|');
        QVERIFY2(bars == 0 || bars == here, line.c_str());
        bars = here;
    }
}

void TestExport::stopsWhenTheSinkFails()
{
    const QTemporaryDir folder;
    QVERIFY(writeJournal(pathIn(folder, "journal.db"), 10));
    auto reader = JournalReader::open(pathIn(folder, "journal.db"));
    REVET_VERIFY(reader);
    int calls = 0;
    const auto sink = [&calls](std::string_view) -> Result<void> {
        return ++calls == 3 ? Result<void>(fail(ErrorCode::Closed, "write")) : Result<void>();
    };
    const auto result = exportJournal(*reader, ExportFormat::JsonLines, sink);
    QVERIFY(!result);
    QCOMPARE(result.error().code, ErrorCode::Closed);
    QCOMPARE(calls, 3);
}

void TestExport::knowsItsFormats()
{
    QCOMPARE(parseExportFormat("html").value_or(ExportFormat::JsonLines), ExportFormat::Html);
    QVERIFY(!parseExportFormat("pdf"));
}

} // namespace revet::journal::test

QTEST_APPLESS_MAIN(revet::journal::test::TestExport)
#include "tst_export.moc"
