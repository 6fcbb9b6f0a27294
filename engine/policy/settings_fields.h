// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/policy/settings.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

// The one list of settings that reading, writing, assigning and tightening share. For settings*.cpp only.

namespace revet::policy {

/// The tables of the file; a key of one is called TABLE.KEY here.
inline constexpr std::array<std::string_view, 2> kTables = {"limits", "undo"};

struct ListField
{
    std::string_view key;
    std::vector<std::string> Settings::*values;
    bool (*isValid)(std::string_view);
    std::string_view rule; ///< what isValid wants
};
extern const std::array<ListField, 7> kListFields;

struct SingleField
{
    std::string_view key;
    /// An empty text takes the setting away. The error's context says what would have been right.
    Result<void> (*set)(Settings* settings, std::string_view text);
    std::string (*get)(const Settings& settings); ///< empty: not set
};
extern const std::array<SingleField, 10> kSingleFields;

} // namespace revet::policy
