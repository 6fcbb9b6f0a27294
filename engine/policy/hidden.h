// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace revet::policy {

/// resources/tables/hidden.toml, parsed: paths that hold secrets. Immutable, copies share it, thread-safe.
class HiddenTable
{
public:
    struct Place
    {
        std::string home; ///< what ~ stands for; absolute, no trailing slash
        std::string runtimeDirectory; ///< ${XDG_RUNTIME_DIR}; empty: its entries are left out
    };
    struct Entry
    {
        std::string group; ///< "cloud"
        std::string pattern; ///< absolute after expansion, may hold globs
    };

    HiddenTable(); ///< empty: hides nothing
    /// Fails on a table that it does not wholly understand, and on places that are not absolute.
    [[nodiscard]] static Result<HiddenTable> parse(std::string_view toml, const Place& place);
    /// Which entry an absolute path falls under, if any: the path itself or something below it.
    [[nodiscard]] std::optional<Entry> match(std::string_view absolutePath) const;
    /// Patterns for untracked files inside a project (".env", "*.pem"): relative to its root, at any depth.
    [[nodiscard]] std::optional<Entry> matchInProject(std::string_view relative) const;
    /// Every pattern outside of projects, in the order of the table.
    [[nodiscard]] const std::vector<Entry>& entries() const;

    struct Index;

private:
    explicit HiddenTable(std::shared_ptr<const Index> index);
    std::shared_ptr<const Index> m_index;
};

} // namespace revet::policy
