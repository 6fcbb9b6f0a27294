// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/json_text.h"

#include <nlohmann/json.hpp>

namespace revet::policy {

namespace {

constexpr std::size_t kMaximumBytes = std::size_t{8} << 20U;
constexpr int kMaximumDepth = 64;

tl::unexpected<Error> malformed(const char* why)
{
    return fail(ErrorCode::Malformed, "read JSON", why);
}

Result<TomlValue> convert(const nlohmann::json& json, int depth)
{
    if (depth == kMaximumDepth) {
        return malformed("it nests too deep");
    }
    TomlValue value;
    if (json.is_object()) {
        for (const auto& [key, item] : json.items()) {
            REVET_ASSIGN_OR_RETURN(auto converted, convert(item, depth + 1));
            value.table.push_back({key, std::move(converted)});
        }
    } else if (json.is_array() || json.is_null()) {
        value.kind = TomlValue::Kind::List;
        for (const nlohmann::json& item : json) {
            REVET_ASSIGN_OR_RETURN(auto converted, convert(item, depth + 1));
            value.list.push_back(std::move(converted));
        }
    } else if (json.is_boolean()) {
        value.kind = TomlValue::Kind::Boolean;
        value.boolean = json.get<bool>();
    } else {
        value.kind = TomlValue::Kind::Text;
        value.text = json.is_string() ? json.get<std::string>() : json.dump();
    }
    return value;
}

} // namespace

Result<TomlValue> parseJson(std::string_view json)
{
    if (json.size() > kMaximumBytes) {
        return malformed("it is too large");
    }
    constexpr bool kAllowExceptions = false;
    constexpr bool kIgnoreComments = true;
    const auto parsed = nlohmann::json::parse(json, nullptr, kAllowExceptions, kIgnoreComments);
    if (!parsed.is_object()) {
        return malformed("it is no object");
    }
    return convert(parsed, 0);
}

} // namespace revet::policy
