// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/world.h"
#include "tests/support/kernel_gate.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>

using namespace revet::test;

namespace {

/// A difference between a box and no box that has a reason.
struct Justified
{
    std::string_view tier; ///< empty: both
    std::string_view line; ///< what the box says
    std::string_view why;
};

constexpr std::array kJustified{
    Justified{"", "chmod system EROFS",
              "the system is mounted read-only, which the kernel looks at before the owner"},
    Justified{"", "access system EROFS", "the same"},
    Justified{"", "truncate system EROFS", "the same"},
    Justified{"", "rename whiteout EPERM", "a whiteout is a device node; it would hide files of a layer"},
    Justified{"", "terminal OK", "a box always has a terminal of its own"},
    Justified{"container", "chown root EINVAL",
              "no other user exists in the box's user namespace; programs take it as EPERM"},
    Justified{
        "sandbox", "anonymous empty-path link EPERM",
        "after its first link a file is known by a descriptor only, which does not tell whether its name "
        "is a protected one"},
    Justified{"sandbox", "read-only flag = 1",
              "the project is read-only in the box, its writes are brokered"},
};

bool isJustified(const std::string& tier, const std::string& line)
{
    return std::any_of(kJustified.begin(), kJustified.end(), [&](const Justified& justified) {
        return justified.line == line && (justified.tier.empty() || justified.tier == tier);
    });
}

std::vector<std::string> linesOf(const std::string& text)
{
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

/// In an empty directory of the project, made by the host.
RunOptions inFreshDirectory(const World& world, const std::string& name)
{
    RunOptions options;
    options.directory = world.project() / name;
    std::filesystem::create_directory(options.directory);
    return options;
}

} // namespace

/// The file system of a box behaves as the one without: MECHANISMS of brokered writes and of layers, call by
/// call.
class SemanticsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        REVET_NEEDS_ORDINARY_USER();
        REVET_NEEDS(UserNamespaces);
        REVET_NEEDS(SeccompNotify);
    }

    void everyCallAnswersAsWithoutABox_data() { addTierRows("observe", {"full", "exec"}); }
    void everyCallAnswersAsWithoutABox()
    {
        const World world;
        const std::string tier = fetched("tier");
        const std::vector<std::string> bare
            = linesOf(world.bareDeed("semantics_probe", {}, inFreshDirectory(world, "bare")).out);
        const Finished finished = world.deed(tier, "semantics_probe", {},
                                             {"--observe", fetched("observe"), "--project", world.project()},
                                             inFreshDirectory(world, "box"));
        const std::vector<std::string> box = linesOf(finished.out);
        QVERIFY(bare.size() > 250);
        std::string wrong;
        for (std::size_t i = 0; i < std::max(bare.size(), box.size()); ++i) {
            const std::string expected = i < bare.size() ? bare[i] : "";
            const std::string seen = i < box.size() ? box[i] : "";
            if (expected != seen && !isJustified(tier, seen)) {
                wrong.append("bare: ").append(expected).append("   box: ").append(seen).append("\n");
            }
        }
        QVERIFY2(wrong.empty(), (wrong + finished.err).c_str());
        QCOMPARE(finished.status, 0);
    }

    void leavesTheSameFilesAsWithoutABox()
    {
        const World world;
        static_cast<void>(world.bareDeed("semantics_probe", {}, inFreshDirectory(world, "bare")));
        static_cast<void>(world.deed("sandbox", "semantics_probe", {}, {"--project", world.project()},
                                     inFreshDirectory(world, "box")));
        Snapshot bare = withoutTemporaryNames(snapshot(world.project() / "bare"));
        Snapshot box = withoutTemporaryNames(snapshot(world.project() / "box"));
        QVERIFY(!bare.empty());
        bare.erase("from-anonymous-2"); // the justified second link of a file without a name
        REVET_VERIFY_NONE(differences(bare, box));
    }

    void recordsWhatGoesThroughProcfsByWhereItLeads_data() { addTierRows(); }
    void recordsWhatGoesThroughProcfsByWhereItLeads()
    {
        const World world;
        const Finished done
            = world.runner().runScript(fetched("tier"),
                                       "mkdir /proc/$$/cwd/made; echo x > /proc/$$/task/$$/cwd/written; "
                                       "ln -s x /proc/$$/cwd/link; ln /proc/$$/root/$PWD/written linked");
        QVERIFY2(done.status == 0, done.err.c_str());
        for (const char* const name : {"made", "written", "link", "linked"}) {
            REVET_VERIFY_NONE(missingEvent(world, {{"create", "write", "link"}, {}, world.project() / name}));
        }
    }

private:
    /// Names that mkstemp and mkdtemp chose differ from run to run.
    static Snapshot withoutTemporaryNames(const Snapshot& all)
    {
        Snapshot kept;
        for (const auto& [path, state] : all) {
            if (path.rfind("temporary", 0) != 0 && path.rfind("directory", 0) != 0) {
                kept[path] = state;
            }
        }
        return kept;
    }
};

QTEST_APPLESS_MAIN(SemanticsTest)
#include "tst_semantics.moc"
