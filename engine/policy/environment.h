// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/policy/name_pattern.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace revet::policy {

/// resources/tables/environment.toml, parsed: which variables cross into a box. Immutable, thread-safe.
class EnvironmentTable
{
public:
    [[nodiscard]] static Result<EnvironmentTable> parse(std::string_view toml);
    /// Whether a variable crosses by the table alone. What the table does not name stays outside.
    [[nodiscard]] bool passes(std::string_view name, std::string_view value) const;
    /// Why a variable is of the kind that must not cross ("secret", "control", "injection"); empty where the
    /// table only does not know it.
    [[nodiscard]] std::string_view group(std::string_view name) const;

private:
    struct Group
    {
        std::string name;
        std::vector<NamePattern> names;
    };
    struct Condition
    {
        std::string name;
        std::vector<std::string> forbidden; ///< words that the value may not begin one with
    };
    std::vector<NamePattern> m_pass;
    std::vector<Condition> m_conditions;
    std::vector<Group> m_withheld;
};

struct FilteredEnvironment
{
    std::vector<std::string> kept; ///< "NAME=value" in the given order, each name once
    std::vector<std::string> withheldNames; ///< sorted; names only, since the values are the secret
};
/// Keeps what the table passes, and the names in `extraAllowed` (globs: what a profile or a person named),
/// which win over the table's groups only when they name a variable in full. Names that no shell could set
/// (exported functions) never cross.
[[nodiscard]] FilteredEnvironment filterEnvironment(const std::vector<std::string>& environment,
                                                    const EnvironmentTable& table,
                                                    const std::vector<std::string>& extraAllowed);

/// Letters, digits and underscores, not beginning with a digit.
[[nodiscard]] bool isEnvironmentName(std::string_view name);

} // namespace revet::policy
