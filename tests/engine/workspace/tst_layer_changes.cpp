// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/file_content.h"
#include "engine/workspace/oddities.h"
#include "tests/engine/workspace/hand_made_layer.h"

#include <sys/socket.h>
#include <sys/un.h>

using namespace revet;
using namespace revet::workspace;
using namespace revet::workspace::test;
using revet::test::writeFile;
namespace fs = std::filesystem;

class TestLayerChanges : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void tellsAdditionsModificationsAndDeletions()
    {
        const HandMadeLayer layer;
        writeFile(layer.lower() / "a", "old");
        writeFile(layer.lower() / "gone", "x");
        writeFile(layer.lower() / "kept", "k");
        writeFile(layer.upper() / "a", "new");
        writeFile(layer.upper() / "d/n", "n");
        layer.whiteOut("gone");
        QCOMPARE(told(layer.source().changes()), std::string("M a*; A d/; A d/n; D gone"));
    }

    void saysNothingOfACopyThatNobodyChanged()
    {
        const HandMadeLayer layer;
        for (const fs::path& side : {layer.lower(), layer.upper()}) {
            writeFile(side / "d/same", "x");
            fs::create_symlink("same", side / "d/link");
        }
        writeFile(layer.lower() / "d/late", "one");
        writeFile(layer.upper() / "d/late", "two"); // of the same size
        QCOMPARE(told(layer.source().changes()), std::string("M d/late*"));
    }

    void tellsModesAndTargets()
    {
        const HandMadeLayer layer;
        for (const fs::path& side : {layer.lower(), layer.upper()}) {
            writeFile(side / "d/tool", "x");
            fs::create_symlink(side == layer.lower() ? "one" : "two", side / "link");
        }
        fs::permissions(layer.upper() / "d/tool", fs::perms(0755));
        fs::permissions(layer.upper() / "d", fs::perms(0700));
        QCOMPARE(told(layer.source().changes()), std::string("M d/; M d/tool; M link*"));
    }

    void knowsBothFormsOfWhiteouts()
    {
        const HandMadeLayer layer;
        writeFile(layer.lower() / "d/node", "x");
        writeFile(layer.lower() / "d/attribute", "x");
        layer.whiteOut("d/node");
        layer.mark("d", "user.overlay.opaque", "x");
        writeFile(layer.upper() / "d/attribute", "");
        layer.mark("d/attribute", "user.overlay.whiteout", "");
        layer.whiteOut("d/never-was");
        QCOMPARE(told(layer.source().changes()), std::string("D d/attribute; D d/node"));
    }

    void seesNothingBelowAnOpaqueDirectory()
    {
        const HandMadeLayer layer;
        writeFile(layer.lower() / "d/same", "x");
        writeFile(layer.lower() / "d/sub/deep", "1");
        writeFile(layer.lower() / "d/sub/other", "2");
        layer.makeOpaque("d");
        writeFile(layer.upper() / "d/same", "x");
        writeFile(layer.upper() / "d/sub/deep", "changed"); // not marked itself: what is above it hides all
        QCOMPARE(told(layer.source().changes()), std::string("M d/sub/deep*; D d/sub/other"));
    }

    void tellsADirectoryThatBecameAFileAndBack()
    {
        const HandMadeLayer layer;
        writeFile(layer.lower() / "was-dir/a", "1");
        writeFile(layer.upper() / "was-dir", "file");
        writeFile(layer.lower() / "was-file", "2");
        writeFile(layer.upper() / "was-file/b", "3");
        writeFile(layer.lower() / "twice/c", "4");
        layer.makeOpaque("twice"); // removed, was a file for a while, is a directory again
        fs::create_symlink("elsewhere", layer.lower() / "was-link");
        fs::create_directory(layer.upper() / "was-link");
        QCOMPARE(told(layer.source().changes()),
                 std::string("D twice/c; D was-dir/; A was-dir; D was-dir/a; D was-file; A was-file/; "
                             "A was-file/b; D was-link; A was-link/"));
    }

    void tellsOtherTypes()
    {
        const HandMadeLayer layer;
        writeFile(layer.lower() / "f", "x");
        fs::create_symlink("/etc/passwd", layer.upper() / "f");
        QCOMPARE(::mkfifo((layer.upper() / "pipe").c_str(), 0600), 0);
        const auto changes = layer.source().changes();
        QCOMPARE(told(changes), std::string("M f*; A pipe"));
        QVERIFY(changes->at(0).before.type == EntryType::File);
        QVERIFY(changes->at(0).after.type == EntryType::Link);
        QVERIFY(changes->at(1).after.type == EntryType::Fifo);
        QVERIFY(!layer.source().openAfter(changes->at(0)));
        QVERIFY(!layer.source().openAfter(changes->at(1))); // nor does it wait
    }

    void takesWhatABoxPlantedForAttributes()
    {
        const HandMadeLayer layer;
        writeFile(layer.lower() / "d/hidden", "x");
        writeFile(layer.upper() / "d/f", "");
        layer.mark("d", "user.overlay.overlay.opaque", "y");
        layer.mark("d/f", "user.overlay.overlay.whiteout", "");
        QCOMPARE(told(layer.source().changes()), std::string("A d/f"));
    }

    void hidesMarksInTheProjectAsOverlayfsDoes()
    {
        const HandMadeLayer layer;
        fs::create_directories(layer.lower() / "d");
        QCOMPARE(::mknod((layer.lower() / "d/mark").c_str(), S_IFCHR, makedev(0, 0)), 0);
        layer.makeOpaque("d");
        writeFile(layer.upper() / "d/mark", "mine");
        QCOMPARE(told(layer.source().changes()), std::string("A d/mark"));
    }

    void findsRenamesHoweverDeep()
    {
        const HandMadeLayer layer;
        for (const char* const name : {"a", "b/c", "b/d/e"}) {
            writeFile(layer.lower() / "old" / name, std::string("content of ") + name);
            writeFile(layer.upper() / "new/place" / name, std::string("content of ") + name);
        }
        fs::create_symlink("a", layer.lower() / "old/link");
        fs::create_symlink("a", layer.upper() / "new/link2");
        writeFile(layer.lower() / "old/empty", "");
        writeFile(layer.upper() / "new/empty", "");
        layer.whiteOut("old");
        QCOMPARE(
            told(layer.source().changes()),
            std::string("A new/; A new/empty; R old/link -> new/link2; A new/place/; R old/a -> new/place/a; "
                        "A new/place/b/; R old/b/c -> new/place/b/c; A new/place/b/d/; "
                        "R old/b/d/e -> new/place/b/d/e; D old/; D old/b/; D old/b/d/; D old/empty"));
    }

    void opensBothSides()
    {
        const HandMadeLayer layer;
        writeFile(layer.lower() / "old", "was here");
        writeFile(layer.upper() / "new", "was here");
        layer.whiteOut("old");
        LayerChanges source = layer.source();
        const auto changes = source.changes();
        QCOMPARE(told(changes), std::string("R old -> new"));
        QCOMPARE(*readContent(*source.openBefore(changes->front()), 99), std::string("was here"));
        QCOMPARE(*readContent(*source.openAfter(changes->front()), 99), std::string("was here"));
    }

    void neverFollowsALink()
    {
        const HandMadeLayer layer;
        writeFile(layer.root() / "outside/secret", "s");
        writeFile(layer.lower() / "d/f", "x");
        fs::create_symlink(layer.root() / "outside", layer.upper() / "d");
        fs::create_symlink(layer.root() / "outside", layer.lower() / "l");
        writeFile(layer.upper() / "l/secret", "mine"); // the box has put a directory in the link's place
        const auto changes = layer.source().changes();
        QCOMPARE(told(changes), std::string("D d/; A d; D d/f; D l; A l/; A l/secret"));
        Change forged = changes->at(1);
        forged.path = "d/secret";
        QVERIFY(layer.source().openAfter(forged).error().code == ErrorCode::Refused);
    }

    void comparesAsMuchAsItMay()
    {
        const HandMadeLayer layer;
        for (const fs::path& side : {layer.lower(), layer.upper()}) {
            writeFile(side / "copied", "0123456789");
        }
        writeFile(layer.lower() / "changed", "0123456789");
        writeFile(layer.upper() / "changed", "9876543210");
        struct stat info = {};
        QCOMPARE(::stat((layer.lower() / "copied").c_str(), &info), 0);
        std::array<timespec, 2> times{info.st_atim, info.st_mtim};
        QCOMPARE(::utimensat(AT_FDCWD, (layer.upper() / "copied").c_str(), times.data(), 0), 0);
        ++times[1].tv_sec;
        QCOMPARE(::utimensat(AT_FDCWD, (layer.upper() / "changed").c_str(), times.data(), 0), 0);
        QCOMPARE(told(layer.source(1).changes()), std::string("M changed*"));
    }

    void listsATreeThatIsTooDeepToNameAsFarAsItGoes()
    {
        const HandMadeLayer layer;
        UniqueFd at = HandMadeLayer::opened(layer.upper());
        const std::string name(200, 'd');
        for (int i = 0; i < 30; ++i) {
            QCOMPARE(::mkdirat(at.get(), name.c_str(), 0700), 0);
            at.reset(::openat(at.get(), name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        }
        const auto changes = layer.source().changes();
        QVERIFY(changes);
        QCOMPARE(changes->size(), std::size_t{15}); // 15 times 201 is the first beyond 3000
        QVERIFY(isTooDeep(changes->back().path));
        QVERIFY(!isTooDeep(changes->at(13).path));
    }
};

QTEST_APPLESS_MAIN(TestLayerChanges)
#include "tst_layer_changes.moc"
