// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "engine/policy/rule_book.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace revet::session {

/// How often a rule decided in a project's sessions, and when last.
struct RuleUse
{
    std::string source; ///< as NetworkRule has it
    std::string text;
    bool isAllowed = true;
    std::uint64_t hits = 0;
    WallTime last{};
};

/// Of the project that `directory` is Revet's own of; those that were used last come first. Without a file
/// there are none.
[[nodiscard]] Result<std::vector<RuleUse>> readRuleUses(const std::filesystem::path& directory);
/// Adds those of a session. Sessions of one project wait for each other; the rules that were used longest ago
/// are forgotten beyond some hundreds.
[[nodiscard]] Result<void> addRuleUses(const std::filesystem::path& directory,
                                       const std::vector<policy::RuleBook::Use>& uses);

} // namespace revet::session
