// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <fstream>
#include <iterator>
#include <string>

/// A file of resources/ as it ships: tests judge the shipped tables, not copies.
inline std::string resourceText(const std::string& name)
{
    std::ifstream file(std::string(REVET_RESOURCES) + "/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}
