// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/journal/event_json.h"

#include "engine/domain/byte_text.h"
#include "engine/domain/display_escape.h"

#include <array>
#include <cstdint>

#include <nlohmann/json.hpp>

namespace revet::journal {

void putBytes(nlohmann::json& object, const std::string& name, std::string_view bytes)
{
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    bool escaped = false;
    for (std::size_t i = 0; i < bytes.size();) {
        if (const CodePoint point = firstCodePoint(bytes.substr(i)); point.value >= 0) {
            text.append(bytes, i, point.size);
            i += point.size;
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
        object[name + "_bytes"] = toBase64(bytes);
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
