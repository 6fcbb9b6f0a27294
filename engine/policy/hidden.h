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

/// Of resources/tables/hidden.toml: paths outside of projects that hold secrets. Immutable, copies share it,
/// thread-safe.
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
    /// Every pattern, in the order of the table.
    [[nodiscard]] const std::vector<Entry>& entries() const;

    struct Index;

private:
    explicit HiddenTable(std::shared_ptr<const Index> index);
    std::shared_ptr<const Index> m_index;
};

/// Of the same file: names of untracked files inside a project (".env", "*.pem"). Apart from the paths, since
/// every session asks for names and few ask for paths.
class HiddenNames
{
public:
    HiddenNames(); ///< empty: hides nothing
    /// Fails on names that it does not wholly understand.
    [[nodiscard]] static Result<HiddenNames> parse(std::string_view toml);
    /// `relative` to the project's root, at any depth.
    [[nodiscard]] bool match(std::string_view relative) const;

    struct Index;

private:
    explicit HiddenNames(std::shared_ptr<const Index> index);
    std::shared_ptr<const Index> m_index;
};

} // namespace revet::policy
