// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/unique_fd.h"
#include "engine/policy/build_output.h"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace revet::session {

/// What a project's paths hold, as far as what is done to them depends on it: what git tracks and what a
/// build makes anew. Looked at when it is first asked for, and then remembered. Not thread-safe.
class ProjectContents
{
public:
    ProjectContents(const std::string& project, policy::BuildOutputTable table);

    /// Whether `path` (relative) is, or is below, a directory of build output that git tracks nothing of.
    [[nodiscard]] bool isBuildOutput(std::string_view path);
    /// Whether a compiler makes it anew: build output, or a file by its name that git does not track. Of no
    /// directory.
    [[nodiscard]] bool isMadeAnew(std::string_view path);
    [[nodiscard]] bool isTracked(std::string_view path);

private:
    [[nodiscard]] bool isBelowBuildOutput(std::string_view path);
    [[nodiscard]] bool isOutputDirectory(const std::string& directory);
    [[nodiscard]] bool tracksBelow(const std::string& directory);
    [[nodiscard]] const std::vector<std::string>& tracked();

    std::string m_project;
    policy::BuildOutputTable m_table;
    UniqueFd m_root;
    std::optional<std::vector<std::string>> m_tracked;
    std::unordered_map<std::string, bool> m_directories;
};

} // namespace revet::session
