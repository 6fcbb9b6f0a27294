// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/ipc/session_info_json.h"

#include "engine/ipc/json_fields.h"

namespace revet::ipc {

namespace {

// JSON may take six bytes for one; together these stay below a frame. Whoever needs all of a command finds it
// in the journal.
constexpr std::size_t kMaximumPathBytes = 4096;
constexpr std::size_t kMaximumTextBytes = 512;
constexpr std::size_t kMaximumArguments = 256;
constexpr std::size_t kMaximumCommandBytes = 4096;

std::vector<std::string> shortened(const std::vector<std::string>& command)
{
    std::vector<std::string> kept;
    std::size_t bytes = 0;
    for (const std::string& argument : command) {
        bytes += argument.size();
        if (bytes > kMaximumCommandBytes || kept.size() == kMaximumArguments) {
            kept.emplace_back("…");
            break;
        }
        kept.push_back(argument);
    }
    return kept;
}

template<typename Enum>
void readEnum(FieldReader& fields, const char* name, Enum& value, std::uint8_t count)
{
    auto number = static_cast<std::uint8_t>(value);
    fields.read(name, number);
    if (number >= count) {
        fields.reject(name);
        return;
    }
    value = static_cast<Enum>(number);
}

WallTime toWallTime(std::int64_t microseconds)
{
    return WallTime(std::chrono::microseconds(microseconds));
}

} // namespace

nlohmann::json toJson(const SessionInfo& session)
{
    nlohmann::json object = {
        {"session", session.id.text()},
        {"label", toJson(std::string_view(session.label).substr(0, kMaximumTextBytes))},
        {"state", static_cast<std::uint8_t>(session.state)},
        {"project", toJson(std::string_view(session.project).substr(0, kMaximumPathBytes))},
        {"tier", static_cast<std::uint8_t>(session.tier)},
        {"observe", static_cast<std::uint8_t>(session.observe)},
        {"command", toJson(shortened(session.command))},
        {"started", session.started.time_since_epoch().count()},
        {"endReason", toJson(std::string_view(session.endReason).substr(0, kMaximumTextBytes))},
        {"sessionPid", session.sessionPid},
        {"reached", static_cast<std::uint8_t>(session.reached)},
        {"events", session.events},
        {"asksPending", session.asksPending},
    };
    if (session.ended) {
        object["ended"] = session.ended->time_since_epoch().count();
    }
    if (session.waitStatus) {
        object["waitStatus"] = *session.waitStatus;
    }
    return object;
}

Result<SessionInfo> sessionInfoFromJson(const nlohmann::json& object)
{
    if (!object.is_object()) {
        return fail(ErrorCode::Malformed, "read a session's state");
    }
    FieldReader fields(object);
    SessionInfo session;
    std::string id;
    std::int64_t started = 0;
    std::int64_t ended = 0;
    std::int32_t waitStatus = 0;
    fields.read("session", id, kMaximumTextBytes);
    fields.read("label", session.label, kMaximumTextBytes);
    readEnum(fields, "state", session.state, kSessionStateCount);
    fields.read("project", session.project, kMaximumPathBytes);
    readEnum(fields, "tier", session.tier, static_cast<std::uint8_t>(kAllTiers.size()));
    readEnum(fields, "observe", session.observe, static_cast<std::uint8_t>(ObserveLevel::Exec) + 1);
    fields.read("command", session.command, kMaximumArguments + 1, kMaximumCommandBytes);
    fields.read("started", started);
    fields.read("ended", ended);
    fields.read("waitStatus", waitStatus);
    fields.read("endReason", session.endReason, kMaximumTextBytes);
    fields.read("sessionPid", session.sessionPid);
    readEnum(fields, "reached", session.reached, kReachCount);
    fields.read("events", session.events);
    fields.read("asksPending", session.asksPending);
    REVET_RETURN_IF_ERROR(fields.result());
    REVET_ASSIGN_OR_RETURN(session.id, SessionId::parse(id));
    session.started = toWallTime(started);
    if (fields.has("ended")) {
        session.ended = toWallTime(ended);
    }
    if (fields.has("waitStatus")) {
        session.waitStatus = waitStatus;
    }
    return session;
}

} // namespace revet::ipc
