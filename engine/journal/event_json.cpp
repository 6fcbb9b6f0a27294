// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/journal/event_json.h"

#include "engine/domain/display_escape.h"

#include <array>
#include <cstdint>

#include <sodium.h>

#include <nlohmann/json.hpp>

namespace revet::journal {

namespace {

/// Length of the UTF-8 sequence at the start of `bytes`; 0 where there is none. RFC 3629: no surrogates, no
/// overlong forms, nothing above U+10FFFF.
std::size_t sequenceLength(std::string_view bytes)
{
    const auto byte = [bytes](std::size_t i) {
        return i < bytes.size() ? static_cast<std::uint8_t>(bytes[i]) : std::uint8_t{0};
    };
    const auto follows = [&byte](std::size_t i) { return (byte(i) & 0xc0U) == 0x80U; };
    const std::uint8_t first = byte(0);
    if (first < 0x80U) {
        return 1;
    }
    if (first >= 0xc2U && first <= 0xdfU && follows(1)) {
        return 2;
    }
    if ((first & 0xf0U) == 0xe0U && follows(1) && follows(2)) {
        const bool overlong = first == 0xe0U && byte(1) < 0xa0U;
        const bool surrogate = first == 0xedU && byte(1) >= 0xa0U;
        return overlong || surrogate ? 0 : 3;
    }
    if (first >= 0xf0U && first <= 0xf4U && follows(1) && follows(2) && follows(3)) {
        const bool overlong = first == 0xf0U && byte(1) < 0x90U;
        const bool tooHigh = first == 0xf4U && byte(1) >= 0x90U;
        return overlong || tooHigh ? 0 : 4;
    }
    return 0;
}

std::string base64(std::string_view bytes)
{
    std::string text(sodium_base64_ENCODED_LEN(bytes.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): libsodium takes unsigned bytes
    const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
    sodium_bin2base64(text.data(), text.size(), data, bytes.size(), sodium_base64_VARIANT_ORIGINAL);
    text.pop_back(); // the terminating NUL
    return text;
}

} // namespace

void putBytes(nlohmann::json& object, const std::string& name, std::string_view bytes)
{
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    bool escaped = false;
    for (std::size_t i = 0; i < bytes.size();) {
        if (const std::size_t length = sequenceLength(bytes.substr(i)); length != 0) {
            text.append(bytes, i, length);
            i += length;
            continue;
        }
        const auto byte = static_cast<std::uint8_t>(bytes[i++]);
        text += "\\x";
        text.push_back(kDigits[byte >> 4U]);
        text.push_back(kDigits[byte & 0xfU]);
        escaped = true;
    }
    object[name] = text;
    if (escaped) {
        object[name + "_bytes"] = base64(bytes);
    }
}

std::string toJsonLine(const nlohmann::json& object)
{
    return object.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::string commandLine(const std::vector<std::string>& arguments)
{
    std::string line;
    for (const std::string& argument : arguments) {
        line += (line.empty() ? "" : " ") + displayQuoted(argument);
    }
    return line;
}

nlohmann::json toJson(const Event& event, const ProcessRecord* process, const SessionId& session)
{
    nlohmann::json object = {
        {"schema", "revet.v1"},
        {"seq", event.seq.value()},
        {"time", toRfc3339(event.time)},
        {"session", session.text()},
        {"kind", std::string(toString(event.kind))},
        {"pid", nullptr},
        {"exe", nullptr},
        {"command", nullptr},
        {"verdict", std::string(toString(event.verdict))},
        {"reach", std::string(toString(event.reach))},
        {"count", event.count},
        {"errno", event.errnoValue},
    };
    if (process != nullptr) {
        object["pid"] = process->pid;
        putBytes(object, "exe", process->exe);
        object["command"] = commandLine(process->argv);
    }
    putBytes(object, "target", event.target);
    if (object.contains("target_bytes")) {
        object["path_bytes"] = std::move(object["target_bytes"]); // the name that every listing uses
        object.erase("target_bytes");
    }
    if (!event.other.empty()) {
        putBytes(object, "other", event.other);
    }
    if (event.detail != 0 || event.kind == ActionKind::Exit) {
        object["detail"] = event.detail;
    }
    putBytes(object, "rule", event.rule);
    return object;
}

} // namespace revet::journal
