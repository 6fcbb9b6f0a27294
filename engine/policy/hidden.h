// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace revet::policy {

/// resources/tables/hidden.toml, parsed: paths that hold secrets. Immutable, thread-safe.
class HiddenTable
{
public:
    struct Place
    {
        std::string home; ///< what ~ stands for
        std::string runtimeDirectory; ///< what ${XDG_RUNTIME_DIR} stands for
    };
    struct Entry
    {
        std::string group; ///< "cloud"
        std::string pattern; ///< absolute after expansion, may hold globs
    };

    [[nodiscard]] static Result<HiddenTable> parse(std::string_view toml, const Place& place);
    /// Which entry an absolute path falls under, if any: the path itself or something below it.
    [[nodiscard]] std::optional<Entry> match(std::string_view absolutePath) const;
    /// Patterns for untracked files inside a project (".env", "*.pem"): relative to its root.
    [[nodiscard]] std::optional<Entry> matchInProject(std::string_view relative) const;
    [[nodiscard]] const std::vector<Entry>& entries() const { return m_entries; }

private:
    std::vector<Entry> m_entries;
    std::vector<Entry> m_projectEntries;
};

} // namespace revet::policy
