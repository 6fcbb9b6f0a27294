// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

namespace revet::workspace {

/// An extended attribute.
struct Attribute
{
    std::string name;
    std::string value;

    friend bool operator==(const Attribute&, const Attribute&) = default;
};

/// All that can be read; a last link is not followed unless it is of procfs ("/proc/self/fd/N").
[[nodiscard]] std::vector<Attribute> readAttributes(const std::string& path);
/// Whether it was set.
[[nodiscard]] bool setAttribute(int file, const Attribute& attribute);

} // namespace revet::workspace
