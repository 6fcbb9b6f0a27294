// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace revet::policy {

/// What a file that makes the host run code later means for a write. In order of strictness.
enum class RunLaterClass : std::uint8_t {
    Pinned, ///< refused in a direct workspace; held at apply behind its own yes
    Checked, ///< held at apply only when a key or line that runs code changed
    Shown, ///< a badge only
};
[[nodiscard]] std::string_view toString(RunLaterClass cls);

/// What a project has before a session that the table cannot know. Paths as match() takes them.
struct ProjectPins
{
    std::vector<std::string> pinned; ///< files and directories that the host's own configuration runs
    /// The same below any directory, also one of dependencies: what it runs is found from a work tree, and
    /// there may be more of them.
    std::vector<std::string> anywhere;
    std::vector<std::string> inGitdirs; ///< the same in repositories, relative to them
    std::vector<std::string>
        workTrees; ///< named by a submodule's configuration: no link may take their place
    std::vector<std::string> repositories; ///< patterns of the root count from these directories as well
};

/// resources/tables/run-later.toml, parsed and immutable: copies share it. Thread-safe.
class RunLaterTable
{
public:
    struct Match
    {
        RunLaterClass cls = RunLaterClass::Shown;
        std::string entry; ///< "editors: .vscode/**", for the journal and for people
    };
    /// What of a Checked file runs code, and how to read it.
    struct Check
    {
        std::string format; ///< "json", "toml", "ini", "env", "lines" or "any" (every change counts)
        std::vector<std::string> runs; ///< dotted key patterns, variable name globs or line substrings
    };

    RunLaterTable(); ///< empty: matches nothing
    /// TOML, or what compiled() made of it when Revet was built.
    [[nodiscard]] static Result<RunLaterTable> parse(std::string_view bytes);
    [[nodiscard]] std::string compiled() const;

    [[nodiscard]] RunLaterTable with(const ProjectPins& project) &&;

    /// `relative` is the path below the project's root, without a leading slash. The strictest class wins.
    /// What is pinned is so in every spelling that folding file systems take for the same.
    [[nodiscard]] std::optional<Match> match(std::string_view relative) const;
    /// The same for what ProjectPins has in a repository's own directory; `inside` is relative to that.
    [[nodiscard]] std::optional<Match> matchInGitdir(std::string_view inside) const;
    /// Whether a directory that gets this path could, by its name, bring entries below it under a pinned
    /// pattern (".vscode", "a/.claude"): such a directory may only be renamed in after a scan (rule G4), and
    /// a symbolic link of that name is as good as the files behind it.
    [[nodiscard]] bool couldHoldPinned(std::string_view relativeDirectory) const;
    /// Whether the directory is or lies below one of dependencies (node_modules, .venv), where patterns that
    /// float do not count. A rename from there to elsewhere, or back, needs the scan of couldHoldPinned()
    /// too.
    [[nodiscard]] bool isForDependencies(std::string_view relativeDirectory) const;
    /// The check of a path that match() calls Checked; none for other paths.
    [[nodiscard]] std::optional<Check> check(std::string_view relative) const;

    class Index;

private:
    explicit RunLaterTable(std::shared_ptr<Index> index);
    std::shared_ptr<Index> m_index; ///< never changed while there is another owner
};

} // namespace revet::policy
