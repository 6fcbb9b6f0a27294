// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "tests/support/session_runner.h"
#include "tests/support/temp_home.h"

#include <QTest>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace revet::test {

/// One user's world for one deed: a home, a project, and the victims that the deed needs, copied into the
/// project, since nothing else of the build is visible in a box.
class World
{
public:
    World();

    [[nodiscard]] const TempHome& home() const { return m_home; }
    [[nodiscard]] const SessionRunner& runner() const { return m_runner; }
    [[nodiscard]] std::filesystem::path project() const { return m_home.project(); }

    /// Absolute path of a victim in the project; the same inside and outside.
    [[nodiscard]] std::string victim(const std::string& name) const;
    /// Runs a victim in a box of `tier`, in the project.
    [[nodiscard]] Finished deed(const std::string& tier, const std::string& victim,
                                const std::vector<std::string>& arguments = {},
                                const std::vector<std::string>& extra = {},
                                const RunOptions& options = {}) const;
    /// The same without a box.
    [[nodiscard]] Finished bareDeed(const std::string& victim, const std::vector<std::string>& arguments = {},
                                    const RunOptions& options = {}) const;
    /// A command line of a shell, without a box; fails the test when it fails.
    void prepare(const std::string& script) const;
    /// Makes the project a repository with one commit.
    void makeRepository() const;

private:
    TempHome m_home;
    SessionRunner m_runner;
};

/// A column "tier" with a row for each tier that this version builds.
void addTierRows();
/// Rows of both a tier and one more word, such as "sandbox hook-direct", in columns "tier" and `column`.
void addTierRows(const char* column, const std::vector<std::string>& words);
/// QFETCH gives a QString; tests speak in std::string.
[[nodiscard]] std::string fetched(const char* column);

/// What a victim said: "what RESULT" lines, by what was attempted.
using Results = std::map<std::string, std::string>;
[[nodiscard]] Results resultsOf(const Finished& finished);
/// The attempts whose result is none of `allowed`, as text for a failure; empty when all are. No attempt at
/// all is a failure too: a victim that did not run has proved nothing.
[[nodiscard]] std::string otherThan(const Finished& finished, const std::vector<std::string>& allowed);

/// What an event has to look like. Empty members match anything.
struct EventPattern
{
    std::vector<std::string> kinds = {}; ///< any of them
    std::vector<std::string> verdicts = {}; ///< any of them
    std::string target = {}; ///< the event's target, or its other name, holds this
};
/// Why the last session's journal lacks such an event, with the events that it has; empty when it is there.
[[nodiscard]] std::string missingEvent(const World& world, const EventPattern& pattern);
/// The same for all of several targets.
[[nodiscard]] std::string missingEvents(const World& world, EventPattern pattern,
                                        const std::vector<std::string>& targets);

/// The attribute that holds a file's access list, and the value of one that lets another user write.
inline constexpr const char* kAccessList = "system.posix_acl_access";
[[nodiscard]] std::string accessListFor(unsigned user);
[[nodiscard]] std::string accessListOf(const std::filesystem::path& file);

/// What a program said, on both of its outputs.
[[nodiscard]] std::string text(const Finished& finished);
/// Why a command did not do what it should; empty when it did.
[[nodiscard]] std::string wrongWith(const Finished& finished, const std::string& said);

/// Everything below a directory: names, kinds, modes, contents. Victims' copies are left out.
using Snapshot = std::map<std::string, std::string>;
[[nodiscard]] Snapshot snapshot(const std::filesystem::path& top);
/// What differs, a line each; empty when nothing does.
[[nodiscard]] std::string differences(const Snapshot& before, const Snapshot& after);

} // namespace revet::test

/// For the functions above that say what is wrong: fails the slot with it.
#define REVET_VERIFY_NONE(expression)                                                                        \
    do {                                                                                                     \
        if (const std::string revetReason = (expression); !revetReason.empty()) {                            \
            QFAIL(revetReason.c_str());                                                                      \
        }                                                                                                    \
    } while (false)
