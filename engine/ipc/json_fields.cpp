// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/ipc/json_fields.h"

#include "engine/domain/byte_text.h"

#include <sodium/utils.h>

namespace revet::ipc {

namespace {

constexpr int kBase64 = sodium_base64_VARIANT_ORIGINAL;

} // namespace

nlohmann::json toJson(std::string_view bytes)
{
    if (isUtf8(bytes)) {
        return std::string(bytes);
    }
    return {{"base64", toBase64(bytes)}};
}

nlohmann::json toJson(const std::vector<std::string>& list)
{
    nlohmann::json array = nlohmann::json::array();
    for (const std::string& bytes : list) {
        array.push_back(toJson(bytes));
    }
    return array;
}

Result<nlohmann::json> parseObject(std::string_view text)
{
    nlohmann::json object = nlohmann::json::parse(text, nullptr, false);
    if (!object.is_object()) {
        return fail(ErrorCode::Malformed, "read a message", "it is not a JSON object");
    }
    return object;
}

const nlohmann::json* FieldReader::find(const char* name) const
{
    const auto found = m_object.find(name);
    return found == m_object.end() ? nullptr : &*found;
}

void FieldReader::reject(const char* name)
{
    if (m_rejected == nullptr) {
        m_rejected = name;
    }
}

Result<void> FieldReader::result() const
{
    if (m_rejected != nullptr) {
        return fail(ErrorCode::Malformed, std::string("read the member '") + m_rejected + "' of a message");
    }
    return {};
}

void FieldReader::read(const char* name, bool& value)
{
    const nlohmann::json* const member = find(name);
    if (member == nullptr) {
        return;
    }
    if (member->is_boolean()) {
        value = member->get<bool>();
    } else {
        reject(name);
    }
}

void FieldReader::read(const char* name, std::string& bytes, std::size_t maximumBytes)
{
    const nlohmann::json* const member = find(name);
    if (member != nullptr && !toBytes(*member, bytes, maximumBytes)) {
        reject(name);
    }
}

const nlohmann::json* FieldReader::findArray(const char* name, std::size_t maximumCount)
{
    const nlohmann::json* const member = find(name);
    if (member != nullptr && (!member->is_array() || member->size() > maximumCount)) {
        reject(name);
        return nullptr;
    }
    return member;
}

void FieldReader::read(const char* name, std::vector<std::string>& list, std::size_t maximumCount,
                       std::size_t maximumBytes)
{
    const nlohmann::json* const member = findArray(name, maximumCount);
    if (member == nullptr) {
        return;
    }
    list.clear();
    list.reserve(member->size());
    for (const nlohmann::json& element : *member) {
        if (!toBytes(element, list.emplace_back(), maximumBytes)) {
            reject(name);
            return;
        }
    }
}

void FieldReader::readPorts(const char* name, std::vector<std::uint16_t>& ports, std::size_t maximumCount)
{
    const nlohmann::json* const member = findArray(name, maximumCount);
    if (member == nullptr) {
        return;
    }
    ports.clear();
    for (const nlohmann::json& element : *member) {
        const bool isPort = element.is_number_unsigned() && element.get<std::uint64_t>() >= 1
            && element.get<std::uint64_t>() <= UINT16_MAX;
        if (!isPort) {
            reject(name);
            return;
        }
        ports.push_back(element.get<std::uint16_t>());
    }
}

bool FieldReader::toBytes(const nlohmann::json& value, std::string& bytes, std::size_t maximumBytes)
{
    if (value.is_string()) {
        bytes = value.get_ref<const std::string&>();
        return bytes.size() <= maximumBytes;
    }
    const auto encoded = value.is_object() ? value.find("base64") : value.end();
    if (!value.is_object() || encoded == value.end() || !encoded->is_string()) {
        return false;
    }
    const auto& text = encoded->get_ref<const std::string&>();
    std::string decoded(text.size(), '\0');
    std::size_t size = 0;
    const char* end = nullptr;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
    auto* const start = reinterpret_cast<unsigned char*>(decoded.data());
    if (sodium_base642bin(start, decoded.size(), text.data(), text.size(), nullptr, &size, &end, kBase64) != 0
        || end != text.data() + text.size() || size > maximumBytes) {
        return false;
    }
    decoded.resize(size);
    bytes = std::move(decoded);
    return true;
}

} // namespace revet::ipc
