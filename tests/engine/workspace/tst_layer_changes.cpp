// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/file_content.h"
#include "engine/workspace/oddities.h"
#include "tests/engine/workspace/hand_made_layer.h"

#include <array>
#include <functional>

#include <sys/socket.h>
#include <sys/un.h>

using namespace revet;
using namespace revet::workspace;
using namespace revet::workspace::test;
using revet::test::writeFile;
namespace fs = std::filesystem;

namespace {

struct Writing
{
    const char* name;
    std::function<void(const HandMadeLayer&)> write;
    const char* told;
};

void writeBoth(const HandMadeLayer& layer, const std::string& path, const std::string& content)
{
    writeFile(layer.lower() / path, content);
    writeFile(layer.upper() / path, content);
}

// NOLINTNEXTLINE(readability-function-size): a table
const std::vector<Writing>& writings()
{
    static const std::vector<Writing> all{
        {"a whiteout of a whole directory",
         [](const HandMadeLayer& layer) {
             writeFile(layer.lower() / "d/e/f", "x");
             layer.whiteOut("d");
         },
         "D d/; D d/e/; D d/e/f"},
        {"a whiteout by attribute of a whole directory",
         [](const HandMadeLayer& layer) {
             writeFile(layer.lower() / "d/f", "x");
             writeFile(layer.upper() / "d", "");
             layer.mark("d", "user.overlay.whiteout", "y");
         },
         "D d/; D d/f"},
        {"the attribute of a whiteout on what is not empty",
         [](const HandMadeLayer& layer) {
             writeFile(layer.lower() / "f", "x");
             writeFile(layer.upper() / "f", "y");
             layer.mark("f", "user.overlay.whiteout", "y");
         },
         "M f*"},
        {"a pipe for a file",
         [](const HandMadeLayer& layer) {
             writeFile(layer.lower() / "f", "x");
             QCOMPARE(::mkfifo((layer.upper() / "f").c_str(), 0600), 0);
         },
         "M f*"},
        {"a directory that holds whiteouts by attribute hides nothing else",
         [](const HandMadeLayer& layer) {
             writeFile(layer.lower() / "d/kept", "x");
             fs::create_directory(layer.upper() / "d");
             layer.mark("d", "user.overlay.opaque", "x");
         },
         ""},
        {"an opaque directory of another value",
         [](const HandMadeLayer& layer) {
             writeFile(layer.lower() / "d/kept", "x");
             fs::create_directory(layer.upper() / "d");
             layer.mark("d", "user.overlay.opaque", "n");
         },
         ""},
        {"an opaque directory where there was nothing, or a file",
         [](const HandMadeLayer& layer) {
             layer.makeOpaque("new");
             writeFile(layer.lower() / "file", "x");
             layer.makeOpaque("file");
         },
         "D file; A file/; A new/"},
        {"an opaque directory in an opaque one",
         [](const HandMadeLayer& layer) {
             writeFile(layer.lower() / "d/e/f", "x");
             writeFile(layer.lower() / "d/g", "x");
             layer.makeOpaque("d");
             layer.makeOpaque("d/e");
         },
         "D d/e/f; D d/g"},
        {"a copy of the metadata alone, with another mode", // which Revet's mounts never make
         [](const HandMadeLayer& layer) {
             writeFile(layer.lower() / "f", "data");
             writeFile(layer.upper() / "f", "");
             fs::resize_file(layer.upper() / "f", 4);
             fs::permissions(layer.upper() / "f", fs::perms(0755));
             layer.mark("f", "user.overlay.metacopy", "");
         },
         "M f*"},
        {"a file for a directory, and the directory again",
         [](const HandMadeLayer& layer) {
             writeFile(layer.lower() / "d/f", "x");
             layer.makeOpaque("d");
             writeFile(layer.upper() / "d/f", "x");
         },
         ""},
        {"a link for a directory",
         [](const HandMadeLayer& layer) {
             writeFile(layer.lower() / "d/f", "x");
             fs::create_directory_symlink("elsewhere", layer.upper() / "d");
         },
         "D d/; A d; D d/f"},
        {"a directory that moved with all in it, with the mark of a redirect",
         [](const HandMadeLayer& layer) {
             for (const char* const name : {"a", "e/b", "e/g/c"}) {
                 writeFile(layer.lower() / "old/d" / name, std::string("content of ") + name);
                 writeFile(layer.upper() / "new" / name, std::string("content of ") + name);
             }
             layer.whiteOut("old/d");
             layer.mark("new", "user.overlay.redirect", "/old/d"); // not followed: it all was copied
         },
         "A new/; R old/d/a -> new/a; A new/e/; R old/d/e/b -> new/e/b; A new/e/g/; "
         "R old/d/e/g/c -> new/e/g/c; D old/d/; D old/d/e/; D old/d/e/g/"},
        {"the mark of a redirect on an empty directory",
         [](const HandMadeLayer& layer) {
             writeFile(layer.lower() / "old/f", "x");
             layer.whiteOut("old");
             fs::create_directory(layer.upper() / "new");
             layer.mark("new", "user.overlay.redirect", "/old");
         },
         "A new/; D old/; D old/f"},
        {"one name of a file with several, copied up for nothing",
         [](const HandMadeLayer& layer) {
             writeBoth(layer, "one", "x");
             fs::create_hard_link(layer.lower() / "one", layer.lower() / "two");
         },
         ""},
        {"one name of a file with several, changed",
         [](const HandMadeLayer& layer) {
             writeFile(layer.lower() / "one", "x");
             fs::create_hard_link(layer.lower() / "one", layer.lower() / "two");
             writeFile(layer.upper() / "one", "y");
         },
         "M one*"},
        {"one more name of a copy",
         [](const HandMadeLayer& layer) {
             writeBoth(layer, "one", "x");
             fs::create_hard_link(layer.upper() / "one", layer.upper() / "two");
         },
         "A two"},
        {"another name of a file, moved",
         [](const HandMadeLayer& layer) {
             writeFile(layer.lower() / "one", "x");
             fs::create_hard_link(layer.lower() / "one", layer.lower() / "two");
             writeFile(layer.upper() / "three", "x");
             layer.whiteOut("two");
         },
         "R two -> three"},
        {"a place taken by what was moved there",
         [](const HandMadeLayer& layer) {
             writeFile(layer.lower() / "one", "content");
             writeFile(layer.lower() / "two", "other");
             writeFile(layer.upper() / "two", "content");
             layer.whiteOut("one");
         },
         "D one; M two*"},
    };
    return all;
}

} // namespace

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
        QCOMPARE(told(layer.source().changes()), std::string("M d/+; A d/f"));
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

    void tellsExtendedAttributes()
    {
        const HandMadeLayer layer;
        for (const fs::path& side : {layer.lower(), layer.upper()}) {
            for (const char* const name : {"d/added", "d/other", "d/removed", "d/same", "d/marked"}) {
                writeFile(side / name, "x");
            }
        }
        const auto lower = [&layer](const char* path, const char* name, std::string_view value) {
            QCOMPARE(::setxattr((layer.lower() / path).c_str(), name, value.data(), value.size(), 0), 0);
        };
        layer.mark("d/added", "user.note", "1");
        lower("d/other", "user.note", "1");
        layer.mark("d/other", "user.note", std::string(1000, '2'));
        lower("d/removed", "user.note", "1");
        lower("d/same", "user.note", "1");
        layer.mark("d/same", "user.note", "1");
        layer.mark("d/marked", "user.overlay.origin", "overlayfs");
        layer.mark("d", "user.overlay.impure", "y");
        QCOMPARE(told(layer.source().changes()), std::string("M d/added+; M d/other+; M d/removed+"));
        layer.mark("d", "user.note", "1");
        layer.mark("d/marked", "user.overlay.overlay.origin", "a box"); // its own, which is an attribute
        QCOMPARE(told(layer.source().changes()),
                 std::string("M d/+; M d/added+; M d/marked+; M d/other+; M d/removed+"));
    }

    void saysNothingOfATime()
    {
        const HandMadeLayer layer;
        for (const fs::path& side : {layer.lower(), layer.upper()}) {
            writeFile(side / "d/f", "x");
        }
        const std::array<timespec, 2> times{timespec{1, 0}, timespec{1, 0}};
        for (const char* const name : {"d/f", "d"}) {
            QCOMPARE(::utimensat(AT_FDCWD, (layer.upper() / name).c_str(), times.data(), 0), 0);
        }
        QCOMPARE(told(layer.source().changes()), std::string());
    }

    void understandsWhatOverlayfsWrites_data()
    {
        QTest::addColumn<int>("number");
        for (std::size_t i = 0; i < writings().size(); ++i) {
            QTest::addRow("%s", writings()[i].name) << static_cast<int>(i);
        }
    }
    void understandsWhatOverlayfsWrites()
    {
        QFETCH(int, number);
        const Writing& writing = writings().at(static_cast<std::size_t>(number));
        const HandMadeLayer layer;
        writing.write(layer);
        LayerChanges source = layer.source();
        QCOMPARE(told(paired(source)), std::string(writing.told));
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

    void tellsOfWhatAQuickLookCannotLookInto()
    {
        const HandMadeLayer layer;
        for (const fs::path& side : {layer.lower(), layer.upper()}) {
            fs::create_directory(side / "d");
            fs::permissions(side / "d", fs::perms(0)); // as it was before
        }
        QCOMPARE(told(layer.source(1).changes()), std::string("M d/+"));
        fs::permissions(layer.upper(), fs::perms(0));
        QVERIFY(told(layer.source(1).changes()).starts_with("M ./; M ./+"));
        for (const fs::path& directory : {layer.upper(), layer.upper() / "d", layer.lower() / "d"}) {
            fs::permissions(directory, fs::perms(0700));
        }
        QCOMPARE(told(layer.source().changes()), std::string("M ./"));
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
