// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/manifest_writer.h"
#include "engine/workspace/pre_image_record.h"
#include "tests/support/temp_home.h"

#include <QTest>

#include <random>

#include <fcntl.h>

using namespace revet;
using namespace revet::test;
using namespace revet::workspace;
namespace fs = std::filesystem;

namespace {

using Kind = PreImageRecord::Kind;

PreImageRecord record(Kind kind, std::string path, std::string other = {})
{
    PreImageRecord made;
    made.kind = kind;
    made.path = std::move(path);
    made.other = std::move(other);
    return made;
}

PreImageRecord fullRecord()
{
    PreImageRecord made = record(Kind::Removed, "dir/na\xffme\n");
    made.entry = {EntryType::Link, 0777, 0, 1'700'000'000'123'456'789, -5, 7, 8, 2, "../target", "digest"};
    made.attributes = {{"user.empty", ""}, {"user.bytes", std::string("\0\xff", 2)}};
    made.content = PreImageRecord::Content::Lost;
    made.object = 12;
    made.note = "why";
    return made;
}

void compare(const PreImageRecord& one, const PreImageRecord& other)
{
    QCOMPARE(encode(one), encode(other));
    QVERIFY(one.entry.isUntouchedSince(other.entry));
    QCOMPARE(one.entry.target, other.entry.target);
    QCOMPARE(one.entry.staged, other.entry.staged);
    QVERIFY(one.attributes == other.attributes);
    QCOMPARE(one.note, other.note);
    QCOMPARE(one.path, other.path);
    QCOMPARE(one.object, other.object);
}

} // namespace

class TestPreImageRecord : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsWhatItWrote()
    {
        const auto records = decodeManifest(encode(fullRecord()) + encode(record(Kind::Moved, "a", "b")));
        QVERIFY(records);
        QCOMPARE(records->size(), 2U);
        compare((*records)[0], fullRecord());
        compare((*records)[1], record(Kind::Moved, "a", "b"));
    }

    void leavesATornTailOut()
    {
        const std::string whole = encode(record(Kind::Saved, "a"));
        const std::string torn = encode(fullRecord());
        for (std::size_t length = 0; length < torn.size(); ++length) {
            const auto records = decodeManifest(whole + torn.substr(0, length));
            QVERIFY(records);
            QCOMPARE(records->size(), 1U);
        }
        const auto zeros = decodeManifest(whole + std::string(4096, '\0'));
        QVERIFY(zeros);
        QCOMPARE(zeros->size(), 1U);
    }

    void refusesDamage()
    {
        std::string bytes = encode(fullRecord()) + encode(record(Kind::Saved, "a"));
        bytes[20] = static_cast<char>(bytes[20] ^ 1);
        QVERIFY(!decodeManifest(bytes));
    }

    void takesBackWhatFailed()
    {
        PreImageRecord taken = record(Kind::Void, {});
        taken.object = 2;
        const std::string bytes = encode(record(Kind::Saved, "a")) + encode(record(Kind::Removed, "b"))
            + encode(record(Kind::Moved, "c", "b")) + encode(taken) + encode(record(Kind::Saved, "d"));
        const auto records = decodeManifest(bytes);
        QVERIFY(records);
        QCOMPARE(records->size(), 2U);
        QCOMPARE((*records)[1].path, std::string("d"));
        taken.object = 9;
        QVERIFY(!decodeManifest(encode(record(Kind::Saved, "a")) + encode(taken)));
    }

    void refusesPathsThatLeadOut_data()
    {
        QTest::addColumn<QString>("path");
        for (const char* const path : {"/etc/passwd", "..", "a/../b", "a//b", "a/", "./a", "a/.", "../a"}) {
            QTest::newRow(path) << QString::fromUtf8(path);
        }
    }
    void refusesPathsThatLeadOut()
    {
        QFETCH(QString, path);
        QVERIFY(!decodeManifest(encode(record(Kind::Saved, path.toStdString()))));
        QVERIFY(!decodeManifest(encode(record(Kind::Moved, "a", path.toStdString()))));
    }

    void isTotal()
    {
        const std::string bytes = encode(fullRecord()) + encode(record(Kind::Moved, "a", "b"));
        std::mt19937 random(7); // NOLINT(cert-msc32-c,cert-msc51-cpp): the same every time
        for (int i = 0; i < 20'000; ++i) {
            std::string damaged = bytes.substr(0, random() % (bytes.size() + 1));
            for (unsigned k = random() % 4; k > 0 && !damaged.empty(); --k) {
                damaged[random() % damaged.size()] = static_cast<char>(random());
            }
            static_cast<void>(decodeManifest(damaged)); // neither crashes nor asks for much memory
        }
    }

    void knowsWhetherTheLastActHappened()
    {
        const TempHome home;
        const fs::path directory = home.root() / "manifest";
        fs::create_directory(directory);
        writeFile(home.project() / "a", "1");
        auto writer = ManifestWriter::create(directory);
        QVERIFY(writer);
        PreImageRecord root = record(Kind::Root, home.project().string(), directory.string());
        QVERIFY(writer->append(root));
        PreImageRecord moved = record(Kind::Moved, "a", "b");
        const UniqueFd project(::open(home.project().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        moved.entry = lookAt(project.get(), "a").value();
        QVERIFY(writer->append(moved));
        const auto before = readPreImages(directory);
        QVERIFY(before);
        QCOMPARE(before->records.size(), 0U); // a crash came in between
        fs::rename(home.project() / "a", home.project() / "b");
        const auto after = readPreImages(directory);
        QVERIFY(after);
        QCOMPARE(after->records.size(), 1U);
        QVERIFY(!after->isSealed);
        for (const Kind kind : {Kind::Born, Kind::Linked}) {
            const std::string name = kind == Kind::Born ? "new" : "link";
            QVERIFY(writer->append(record(kind, name, "b")));
            const auto unborn = readPreImages(directory);
            QVERIFY(unborn);
            QCOMPARE(unborn->unhappened, 1U);
            // What came before has happened, whatever is there now.
            fs::rename(home.project() / "b", home.project() / "a");
            QCOMPARE(readPreImages(directory)->unhappened, 1U);
            fs::rename(home.project() / "a", home.project() / "b");
            writeFile(home.project() / name, "n");
            QCOMPARE(readPreImages(directory)->unhappened, 0U);
        }
    }
};

QTEST_APPLESS_MAIN(TestPreImageRecord)
#include "tst_pre_image_record.moc"
