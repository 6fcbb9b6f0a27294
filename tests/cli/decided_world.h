// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "tests/integration/world.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace revet::test {

/// What the tests of decisions share: a world, which each of them makes anew, and the session in it whose
/// changes are decided about.
class DecidedWorld
{
protected:
    /// A fresh world whose project is a repository with one commit.
    void beginRepository();
    /// Runs a script in a container, which must succeed; decisions are about that session from then on.
    void box(const std::string& script);
    /// `revet apply`, which must succeed.
    // NOLINTNEXTLINE(modernize-use-nodiscard): many only look at what it left
    Finished apply(const std::vector<std::string>& extra = {}) const;
    /// The host's git finds nothing wrong with its repository.
    void isWhole() const;
    /// "review", "closed"
    [[nodiscard]] std::string state() const;
    [[nodiscard]] Finished revet(const std::vector<std::string>& arguments) const;
    /// What the host's git says, without the last end of line.
    [[nodiscard]] std::string git(const std::string& arguments) const;
    [[nodiscard]] std::filesystem::path project() const { return m_world->project(); }

    std::unique_ptr<World> m_world;
    std::string m_id;
    std::string m_main; ///< the branch of a repository, and its commit, as they were at first
    std::string m_first;
};

/// Of `--json`: "applied a; held .vscode/tasks.json", in order of paths.
[[nodiscard]] std::string told(const Finished& finished);
/// Without the ends of line behind it.
[[nodiscard]] std::string withoutEnd(std::string text);

} // namespace revet::test
