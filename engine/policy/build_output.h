// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/policy/name_pattern.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace revet::policy {

/// resources/tables/build-output.toml, parsed: what a build makes anew. Immutable.
class BuildOutputTable
{
public:
    BuildOutputTable() = default; ///< empty: nothing is build output
    [[nodiscard]] static Result<BuildOutputTable> parse(std::string_view toml);

    /// Whether a directory (path relative to the project) is build output, git aside. `exists` answers for
    /// other relative paths.
    [[nodiscard]] bool matches(std::string_view directory,
                               const std::function<bool(const std::string&)>& exists) const;
    /// Whether a single file is called like what a compiler makes.
    [[nodiscard]] bool matchesFile(std::string_view path) const;

private:
    struct Beside
    {
        std::vector<NamePattern> names;
        std::vector<std::string> files;
    };
    std::vector<NamePattern> m_names;
    std::vector<NamePattern> m_files;
    std::vector<std::string> m_inside;
    std::vector<Beside> m_beside;
};

} // namespace revet::policy
