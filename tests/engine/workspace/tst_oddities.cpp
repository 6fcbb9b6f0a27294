// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/oddities.h"
#include "tests/engine/workspace/hand_made_layer.h"

using namespace revet;
using namespace revet::workspace;
using namespace revet::workspace::test;
using revet::test::writeFile;
namespace fs = std::filesystem;

namespace {

Change added(std::string path, EntryType type, mode_t mode = 0644)
{
    Change change;
    change.kind = Change::Kind::Added;
    change.path = std::move(path);
    change.after.type = type;
    change.after.mode = mode;
    change.after.links = 1;
    return change;
}

std::string told(const std::vector<Oddity>& oddities)
{
    std::string text;
    for (const Oddity oddity : oddities) {
        text += (text.empty() ? "" : ", ") + std::string(toString(oddity));
    }
    return text;
}

} // namespace

class TestOddities : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void namesThem_data()
    {
        QTest::addColumn<QByteArray>("path");
        QTest::addColumn<int>("type");
        QTest::addColumn<int>("mode");
        QTest::addColumn<QByteArray>("oddities");
        const auto row = [](const char* path, EntryType type, int mode, const char* oddities) {
            QTest::addRow("%s", QByteArray(path).toPercentEncoding().constData())
                << QByteArray(path) << static_cast<int>(type) << mode << QByteArray(oddities);
        };
        row("plain.txt", EntryType::File, 0644, "");
        row("na\xc3\xafve \xe6\x97\xa5.txt", EntryType::File, 0644, "");
        row("tool", EntryType::File, 0755, "new executable");
        row("su", EntryType::File, 04644, "setuid");
        row("sg", EntryType::File, 02755, "new executable, setgid");
        row("shared", EntryType::Directory, 02755, "");
        row("dev", EntryType::Device, 0644, "device");
        row("pipe", EntryType::Fifo, 0644, "fifo");
        row("sock", EntryType::Socket, 0644, "socket");
        row("esc\x1b[31m", EntryType::File, 0644, "control characters");
        row("line\nforged", EntryType::File, 0644, "control characters");
        row("c1\xc2\x9bx", EntryType::File, 0644, "control characters, invisible characters");
        row("bidi\xe2\x80\xae"
            "gnp.exe",
            EntryType::File, 0644, "invisible characters");
        row("zero\xe2\x80\x8bwidth", EntryType::File, 0644, "invisible characters");
        row("broken\xff", EntryType::File, 0644, "not UTF-8");
    }
    void namesThem()
    {
        QFETCH(QByteArray, path);
        QFETCH(int, type);
        QFETCH(int, mode);
        QFETCH(QByteArray, oddities);
        const Change change
            = added(path.toStdString(), static_cast<EntryType>(type), static_cast<mode_t>(mode));
        QCOMPARE(told(odditiesOf(change)), oddities.toStdString());
    }

    void knowsLinksThatCouldLeave_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("target");
        QTest::addColumn<bool>("leaves");
        const auto row = [](const char* path, const char* target, bool leaves) {
            QTest::addRow("%s to %s", path, target)
                << QString::fromLatin1(path) << QString::fromLatin1(target) << leaves;
        };
        row("l", "file", false);
        row("l", "d/file", false);
        row("l", "./d//file", false);
        row("l", ".", false);
        row("l", "..", true);
        row("l", "/etc/passwd", true);
        row("l", "/", true);
        row("a/b/l", "../../x", false);
        row("a/b/l", "../../../x", true);
        row("a/b/l", "../c/../../x", true); // where does c lead?
        row("a/l", "..x/y", false);
        row("l", "../project-evil/x", true);
    }
    void knowsLinksThatCouldLeave()
    {
        QFETCH(QString, path);
        QFETCH(QString, target);
        QFETCH(bool, leaves);
        Change change = added(path.toStdString(), EntryType::Link, 0777);
        change.after.target = target.toStdString();
        QCOMPARE(told(odditiesOf(change)), std::string(leaves ? "link that could leave the tree" : ""));
    }

    void tellsWhatIsNewFromWhatWasSo()
    {
        Change change = added("tool", EntryType::File, 0755);
        change.kind = Change::Kind::Modified;
        change.before = change.after;
        QCOMPARE(told(odditiesOf(change)), std::string());
        change.before.mode = 0644;
        QCOMPARE(told(odditiesOf(change)), std::string("new executable"));
        change.after = {};
        QCOMPARE(told(odditiesOf(change)), std::string());
    }

    void findsHardLinksAndAttributes()
    {
        const HandMadeLayer layer;
        writeFile(layer.upper() / "a", "x");
        fs::create_hard_link(layer.upper() / "a", layer.upper() / "b");
        for (const char* const name : {"marked", "escaped", "kernel"}) {
            writeFile(layer.upper() / name, "x");
        }
        layer.mark("marked", "user.comment", "x");
        layer.mark("escaped", "user.overlay.overlay.opaque", "y");
        layer.mark("kernel", "user.overlay.origin", "");
        LayerChanges source = layer.source();
        const auto changes = source.changes();
        REVET_VERIFY(changes);
        std::string text;
        for (const Change& change : *changes) {
            text += change.path + ": " + told(odditiesOf(change))
                + (hasAttributes(source, change) ? "attributes; " : "; ");
        }
        QCOMPARE(
            text,
            std::string("a: hard link; b: hard link; escaped: attributes; kernel: ; marked: attributes; "));
    }

    void findsNamesThatDifferByCaseOnly()
    {
        const HandMadeLayer layer;
        writeFile(layer.lower() / "README.md", "x");
        writeFile(layer.lower() / "gone", "x");
        const std::string composed = "caf\xc3\xa9";
        const std::string decomposed = "cafe\xcc\x81";
        for (const std::string& name :
             {std::string("readme.MD"), std::string("Gone"), std::string("d/x"), std::string("d/X"),
              std::string(".GIT/config"), composed, decomposed, std::string(".g\xe2\x80\x8cit2"),
              std::string("sub/.gi\xe2\x80\x8ct"), std::string("innocent")}) {
            writeFile(layer.upper() / name, "new " + name);
        }
        layer.whiteOut("gone");
        LayerChanges source = layer.source();
        const auto changes = source.changes();
        REVET_VERIFY(changes);
        const auto collides = caseCollisions(*changes, HandMadeLayer::opened(layer.lower()).get());
        REVET_VERIFY(collides);
        std::string text;
        for (std::size_t i = 0; i < changes->size(); ++i) {
            text += collides->at(i) ? changes->at(i).path + ' ' : "";
        }
        QCOMPARE(text, ".GIT " + decomposed + ' ' + composed + " d/X d/x readme.MD sub/.gi\xe2\x80\x8ct ");
    }
};

QTEST_APPLESS_MAIN(TestOddities)
#include "tst_oddities.moc"
