// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace revet::journal {

/// Numbers for byte strings, so that a path is stored once. Bounded: a box that opens a million random names
/// makes it forget and start over, and a name seen again then gets a second number, which readers allow for.
class Interner
{
public:
    struct Number
    {
        std::int64_t id = 0;
        bool isNew = false; ///< the caller must store the bytes
    };

    /// `last`: the last number that was given before.
    explicit Interner(std::size_t mostBytes, std::int64_t last = 0)
        : m_mostBytes(mostBytes)
        , m_last(last)
    {
    }
    /// 0 for an empty string, never new.
    [[nodiscard]] Number numberOf(std::string_view bytes);
    [[nodiscard]] std::int64_t last() const { return m_last; }

private:
    struct Hash
    {
        using is_transparent = void; // NOLINT(readability-identifier-naming): the name that std looks for
        std::size_t operator()(std::string_view bytes) const { return std::hash<std::string_view>{}(bytes); }
    };
    std::unordered_map<std::string, std::int64_t, Hash, std::equal_to<>> m_numbers;
    std::size_t m_mostBytes;
    std::size_t m_bytes = 0;
    std::int64_t m_last;
};

} // namespace revet::journal
