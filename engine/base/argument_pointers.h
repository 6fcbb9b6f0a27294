// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

namespace revet {

/// Words as execve(2) and posix_spawn(3) want them, with the null pointer behind them. They are not written
/// to, and have to outlive the result.
[[nodiscard]] inline std::vector<char*> argumentPointers(const std::vector<std::string>& words)
{
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (const std::string& word : words) {
        pointers.push_back(const_cast<char*>(word.c_str())); // the interfaces lack the const
    }
    pointers.push_back(nullptr);
    return pointers;
}

} // namespace revet
