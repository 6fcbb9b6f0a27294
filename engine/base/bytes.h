// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace revet {

/// Appends little-endian numbers and length-prefixed strings: the wire form of the launcher's messages.
class ByteWriter
{
public:
    template<typename Number>
    requires std::is_integral_v<Number>
    void number(Number value)
    {
        using Unsigned = std::make_unsigned_t<Number>;
        auto bits = static_cast<std::uint64_t>(static_cast<Unsigned>(value));
        for (std::size_t i = 0; i < sizeof(Number); ++i) {
            m_bytes.push_back(static_cast<char>(bits & 0xff));
            bits >>= 8U;
        }
    }
    void string(std::string_view text)
    {
        number(static_cast<std::uint32_t>(text.size()));
        m_bytes.append(text);
    }
    [[nodiscard]] const std::string& bytes() const { return m_bytes; }
    [[nodiscard]] std::string take() { return std::move(m_bytes); }

private:
    std::string m_bytes;
};

/// Reads what ByteWriter wrote. Total: any input either decodes or fails, and a length is checked
/// against what is left before anything is allocated.
class ByteReader
{
public:
    explicit ByteReader(std::string_view bytes)
        : m_rest(bytes)
    {
    }

    template<typename Number>
    requires std::is_integral_v<Number>
    [[nodiscard]] Result<Number> number()
    {
        if (m_rest.size() < sizeof(Number)) {
            return fail(ErrorCode::Malformed, "read a number past the end");
        }
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < sizeof(Number); ++i) {
            bits |= static_cast<std::uint64_t>(static_cast<unsigned char>(m_rest[i])) << (8U * i);
        }
        m_rest.remove_prefix(sizeof(Number));
        return static_cast<Number>(bits);
    }
    [[nodiscard]] Result<std::string> string(std::size_t maximum)
    {
        REVET_ASSIGN_OR_RETURN(const auto size, number<std::uint32_t>());
        if (size > maximum || size > m_rest.size()) {
            return fail(ErrorCode::Malformed, "read a string longer than its message");
        }
        std::string text(m_rest.substr(0, size));
        m_rest.remove_prefix(size);
        return text;
    }
    [[nodiscard]] bool atEnd() const { return m_rest.empty(); }
    [[nodiscard]] std::size_t left() const { return m_rest.size(); }

private:
    std::string_view m_rest;
};

} // namespace revet
