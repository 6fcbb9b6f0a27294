// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace revet::policy {

/// A value and where it comes from ("profile npm", "config.toml"), so that every effective setting can be
/// explained.
template<typename T>
struct Sourced
{
    T value;
    std::string source;

    friend bool operator==(const Sourced&, const Sourced&) = default;
};

using SourcedTexts = std::vector<Sourced<std::string>>;

/// Adds what is not there yet; the first source of a value keeps it.
inline void addMissing(SourcedTexts* to, const std::vector<std::string>& values, const std::string& source)
{
    for (const std::string& value : values) {
        const bool isThere = std::any_of(
            to->begin(), to->end(), [&](const Sourced<std::string>& item) { return item.value == value; });
        if (!isThere) {
            to->push_back({value, source});
        }
    }
}

} // namespace revet::policy
