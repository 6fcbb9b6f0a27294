// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace revet::ipc {

/// Bytes in JSON: a string where they are UTF-8, else {"base64":"…"}.
[[nodiscard]] nlohmann::json toJson(std::string_view bytes);
[[nodiscard]] nlohmann::json toJson(const std::vector<std::string>& list);

/// A JSON object, or Malformed. Never throws.
[[nodiscard]] Result<nlohmann::json> parseObject(std::string_view text);

/// Reads members of an object that a stranger wrote. A missing member leaves its target as it is; one of the
/// wrong type, out of range or too long makes result() fail.
class FieldReader
{
public:
    explicit FieldReader(const nlohmann::json& object)
        : m_object(object)
    {
    }

    template<typename Number>
    requires(std::integral<Number> && !std::same_as<Number, bool>) void read(const char* name, Number& number)
    {
        const nlohmann::json* const value = find(name);
        if (value == nullptr) {
            return;
        }
        if (value->is_number_unsigned() && std::in_range<Number>(value->get<std::uint64_t>())) {
            number = static_cast<Number>(value->get<std::uint64_t>());
        } else if (value->is_number_integer() && !value->is_number_unsigned()
                   && std::in_range<Number>(value->get<std::int64_t>())) {
            number = static_cast<Number>(value->get<std::int64_t>());
        } else {
            reject(name);
        }
    }
    void read(const char* name, bool& value);
    void read(const char* name, std::string& bytes, std::size_t maximumBytes);
    void read(const char* name, std::vector<std::string>& list, std::size_t maximumCount,
              std::size_t maximumBytes);

    /// Of TCP: 1 to 65535.
    void readPorts(const char* name, std::vector<std::uint16_t>& ports, std::size_t maximumCount);

    [[nodiscard]] bool has(const char* name) const { return find(name) != nullptr; }
    /// The member, if it is there.
    [[nodiscard]] const nlohmann::json* find(const char* name) const;
    void reject(const char* name);
    [[nodiscard]] Result<void> result() const;

private:
    /// None too where the member is no array, or one of more than that: it is rejected.
    [[nodiscard]] const nlohmann::json* findArray(const char* name, std::size_t maximumCount);
    [[nodiscard]] static bool toBytes(const nlohmann::json& value, std::string& bytes,
                                      std::size_t maximumBytes);

    const nlohmann::json& m_object;
    const char* m_rejected = nullptr;
};

} // namespace revet::ipc
