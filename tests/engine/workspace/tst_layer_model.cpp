// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/file_content.h"
#include "tests/engine/workspace/hand_made_layer.h"
#include "tests/support/kernel_gate.h"

#include <QProcess>

#include <map>
#include <random>

using namespace revet;
using namespace revet::workspace;
using namespace revet::workspace::test;
using revet::test::writeFile;
namespace fs = std::filesystem;

namespace {

/// A tree as text: what a person can tell apart, by path.
using Model = std::map<std::string, std::string>;

std::string describe(const fs::path& path)
{
    struct stat info = {};
    if (::lstat(path.c_str(), &info) != 0) {
        return "gone";
    }
    std::error_code error;
    if (S_ISLNK(info.st_mode)) {
        return "link to " + fs::read_symlink(path, error).string();
    }
    const std::string mode = std::to_string(info.st_mode & 07777U);
    return S_ISDIR(info.st_mode) ? "directory " + mode : "file " + mode + ' ' + revet::test::readFile(path);
}

Model modelOf(const fs::path& top)
{
    Model model;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(top)) {
        model[entry.path().lexically_relative(top).string()] = describe(entry.path());
    }
    return model;
}

/// What the changes, and nothing else, make of the tree below; all that they say is checked on the way.
Model applied(Model model, const std::vector<Change>& changes, LayerChanges& source, const fs::path& upper)
{
    for (const Change& change : changes) {
        const std::string& from = change.from.empty() ? change.path : change.from;
        if (change.kind != Change::Kind::Added && model.erase(from) == 0) {
            model["nothing was at " + from] = "";
        }
    }
    for (const Change& change : changes) {
        if (!change.after.exists()) {
            continue;
        }
        if (model.contains(change.path)) {
            model["something is at " + change.path] = "";
        }
        model[change.path] = describe(upper / change.path);
        if (change.kind == Change::Kind::Renamed) {
            const auto before = source.openBefore(change);
            const auto after = source.openAfter(change);
            if (change.after.type == EntryType::File
                && (!before || !after
                    || isEqualContent(*before, *after).value_or(false) == change.isContentChanged)) {
                model["no rename of " + change.path] = "";
            }
        }
    }
    return model;
}

std::string differences(const Model& wanted, const Model& found)
{
    std::string text;
    for (const auto& [path, entry] : wanted) {
        const auto other = found.find(path);
        if (other == found.end() || other->second != entry) {
            text += path + ": " + entry + ", not " + (other == found.end() ? "there" : other->second) + '\n';
        }
    }
    for (const auto& [path, entry] : found) {
        text += wanted.contains(path) ? "" : path + ": not wanted\n";
    }
    return text;
}

/// Commands of a shell on a few names, so that they often meet. Each may fail.
std::string randomDeeds(std::mt19937& random, int count)
{
    const auto pick
        = [&random](const std::vector<std::string>& from) { return from.at(random() % from.size()); };
    const auto path = [&] {
        std::string text = pick({"a", "b", "c"});
        for (auto depth = random() % 3; depth > 0; --depth) {
            text += '/' + pick({"a", "b", "x", "y"});
        }
        return text;
    };
    std::string script;
    for (int i = 0; i < count; ++i) {
        const std::string one = path();
        const std::string other = path();
        script += pick({"echo " + std::to_string(random() % 100) + " > " + one, "echo more >> " + one,
                        "rm -rf " + one, "rm -f " + one, "mkdir " + one, "mkdir -p " + one, "rmdir " + one,
                        "mv -T " + one + ' ' + other, "ln -sfn " + other + ' ' + one,
                        "chmod " + pick({"711", "755", "700"}) + ' ' + one, "cp -a " + one + ' ' + other,
                        "touch -d @" + std::to_string(random() % 100) + ' ' + one, "ln " + one + ' ' + other,
                        "seq " + std::to_string(random() % 30) + " 40 > " + one, "sh -c ': <> " + one + "'",
                        "rm -rf " + one + "; mkdir " + one + "; echo 1 > " + one + "/x",
                        "rm -rf " + one + "; echo file > " + one})
            + '\n';
    }
    return script;
}

} // namespace

class TestLayerModel : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// Random work in a real overlay; what is told of its layer must turn the project into what was seen.
    void tellsAllThatOverlayfsCanSay()
    {
        REVET_NEEDS_ORDINARY_USER();
        REVET_NEEDS(Overlay);
        std::mt19937 random(7); // the same deeds at every run
        std::size_t told = 0;
        for (int round = 0; round < 25; ++round) {
            const HandMadeLayer layer;
            const fs::path& root = layer.root();
            for (const char* const name : {"work", "merged"}) {
                fs::create_directory(root / name);
            }
            const std::string start = randomDeeds(random, 40);
            const std::string deeds = randomDeeds(random, 30);
            writeFile(
                root / "script",
                "cd '" + root.string() + "'; cd lower\n(" + start
                    + ") 2> /dev/null\ncd ..\n"
                      "mount -t overlay none -o lowerdir=lower,upperdir=upper,workdir=work,userxattr merged"
                      " || exit 9\ncd merged\n("
                    + deeds + ") 2> /dev/null\ncd ..\ncp -a merged seen\n");
            QProcess box;
            box.start(
                QStringLiteral("unshare"),
                {QStringLiteral("-Urm"), QStringLiteral("sh"), QString::fromStdString(root / "script")});
            QVERIFY(box.waitForFinished());
            QCOMPARE(box.exitCode(), 0);
            LayerChanges source = layer.source();
            const auto changes = paired(source);
            REVET_VERIFY(changes);
            told += changes->size();
            const std::string wrong = differences(
                modelOf(root / "seen"), applied(modelOf(layer.lower()), *changes, source, layer.upper()));
            QVERIFY2(wrong.empty(), (wrong + "after\n" + start + "and then\n" + deeds).c_str());
        }
        QVERIFY(told > 150);
    }
};

QTEST_APPLESS_MAIN(TestLayerModel)
#include "tst_layer_model.moc"
