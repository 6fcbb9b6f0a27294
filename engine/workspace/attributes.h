// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace revet::workspace {

/// An extended attribute.
struct Attribute
{
    std::string name;
    std::string value;

    friend bool operator==(const Attribute&, const Attribute&) = default;
};

/// Whether a user may set it: a person's own, and access lists. The others are the system's to give.
[[nodiscard]] bool canBeSet(std::string_view name);

// Of an open file, directory or link; O_PATH will do, so they may be unreadable. Nothing follows a link.

[[nodiscard]] Result<std::vector<std::string>> attributeNames(int object);
/// None: it is not there.
[[nodiscard]] Result<std::optional<std::string>> attributeOf(int object, const std::string& name);
/// None removes it.
[[nodiscard]] Result<void> changeAttribute(int object, const std::string& name,
                                           const std::optional<std::string>& value);

/// All that can be read, by name, of what `path` leads to from an open directory (of that itself for "").
/// `isWanted`: others are not read.
[[nodiscard]] std::vector<Attribute> readAttributes(int directory, const std::string& path = {},
                                                    bool (*isWanted)(std::string_view name) = nullptr);

} // namespace revet::workspace
