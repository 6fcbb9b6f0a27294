// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "tests/support/temp_home.h"

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace revet::test {

/// How a program ended and what it said.
struct Finished
{
    int status = -1; ///< as a shell says it: 128 + n for a signal; -1 where it did not start or took too long
    bool timedOut = false; ///< it was killed by the runner
    std::string out;
    std::string err;
};

/// How to run a program.
struct RunOptions
{
    std::string input = {}; ///< for standard input; empty: /dev/null
    std::filesystem::path directory = {}; ///< empty: the project
    std::map<std::string, std::string> environment = {}; ///< on top of the home's, "" removes
    /// Steps that are taken out of the box's plan, by name ("close-descriptors", "load-filter known",
    /// "read-only /path"): to see a test fail without its wall. Only `revet` itself understands them.
    std::vector<std::string> without = {};
    std::chrono::milliseconds timeout = std::chrono::seconds(60);
};

/// Runs the `revet` that was built, in a TempHome, as a user would: real sessions in real boxes. A test
/// program begins with REVET_NEEDS_ORDINARY_USER() in initTestCase(). One thread.
class SessionRunner
{
public:
    explicit SessionRunner(const TempHome& home);

    [[nodiscard]] Finished revet(const std::vector<std::string>& arguments,
                                 const RunOptions& options = {}) const;
    /// `revet run --tier TIER EXTRA… -- COMMAND…`
    [[nodiscard]] Finished run(const std::string& tier, const std::vector<std::string>& command,
                               const std::vector<std::string>& extra = {},
                               const RunOptions& options = {}) const;
    /// The same in a shell of the box: `sh -c SCRIPT`.
    [[nodiscard]] Finished runScript(const std::string& tier, const std::string& script,
                                     const std::vector<std::string>& extra = {},
                                     const RunOptions& options = {}) const;
    /// The same command outside of any box, for comparison.
    [[nodiscard]] Finished bare(const std::vector<std::string>& command,
                                const RunOptions& options = {}) const;

    /// What a listing says with --json: {"log"}, {"ps", "--all"}, {"files", id}. Fails the test when the
    /// command or a line of it is not as the contract says.
    [[nodiscard]] std::vector<nlohmann::json> list(std::vector<std::string> arguments) const;
    /// The id of the project's session that started last; fails the test when there is none.
    [[nodiscard]] std::string lastSession() const;
    /// The events of the session that started last.
    [[nodiscard]] std::vector<nlohmann::json> lastEvents() const;

    /// Where a program of the build is: "revet", "revet-bench".
    [[nodiscard]] static std::string program(const std::string& name);
    /// The `revet` whose plan can be edited, for what revet() is not enough for: the steps to take out go
    /// into the variable REVET_TEST_WITHOUT, one a line.
    [[nodiscard]] static std::string editedRevet();

private:
    const TempHome& m_home;
};

/// The rows that hold all of `pattern`'s keys with equal values: {{"kind", "write"}, {"verdict", "denied"}}.
/// QCOMPARE does not compile on a json value (qfloat16 is tried): compare row.value("target", "").
[[nodiscard]] std::vector<nlohmann::json> matching(const std::vector<nlohmann::json>& rows,
                                                   const nlohmann::json& pattern);

} // namespace revet::test
