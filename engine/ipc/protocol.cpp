// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/ipc/protocol.h"

#include "engine/ipc/json_fields.h"
#include "engine/ipc/session_info_json.h"

#include <array>
#include <csignal>

namespace revet::ipc {

namespace {

using nlohmann::json;

/// In the order of Message's alternatives.
constexpr std::array<std::string_view, std::variant_size_v<Message>> kTypes
    = {"run",     "resize", "signal", "continue",  "detach",       "stop",     "started",
       "stopped", "exited", "failed", "hello",     "subscribe",    "advanced", "infoRequest",
       "info",    "answer", "notice", "answerAsk", "grantsChanged"};

constexpr std::size_t kMaximumLineBytes = 1024;
constexpr std::size_t kMaximumLines = 16;

/// A line of ours, cut at the bound. With these bounds no message outgrows a frame.
json lineToJson(std::string_view line)
{
    return toJson(line.substr(0, kMaximumLineBytes));
}

// What each message holds, one pair of functions a kind; a message without members needs none.

template<typename Empty>
void write(json& /*object*/, const Empty& /*message*/)
{
}
template<typename Empty>
void read(FieldReader& /*fields*/, Empty& /*message*/)
{
}

void write(json& object, const Resize& message)
{
    object["rows"] = message.rows;
    object["columns"] = message.columns;
}
void read(FieldReader& fields, Resize& message)
{
    fields.read("rows", message.rows);
    fields.read("columns", message.columns);
}

void readSignal(FieldReader& fields, const char* name, std::int32_t& number)
{
    fields.read(name, number);
    if (number < 1 || number > SIGRTMAX) {
        fields.reject(name);
    }
}
void write(json& object, const Signal& message)
{
    object["number"] = message.number;
}
void read(FieldReader& fields, Signal& message)
{
    readSignal(fields, "number", message.number);
}

void write(json& object, const Stop& message)
{
    object["force"] = message.isForced;
}
void read(FieldReader& fields, Stop& message)
{
    fields.read("force", message.isForced);
}

json linesToJson(const std::vector<std::string>& lines)
{
    json array = json::array();
    for (std::size_t i = 0; i < lines.size() && i < kMaximumLines; ++i) {
        array.push_back(lineToJson(lines[i]));
    }
    return array;
}

void write(json& object, const Started& message)
{
    object["session"] = message.session.text();
    object["lines"] = linesToJson(message.lines);
    object["pty"] = message.hasPty;
    object["stdin"] = message.hasStdin;
    object["stdout"] = message.hasStdout;
    object["stderr"] = message.hasStderr;
}
void read(FieldReader& fields, Started& message)
{
    std::string id;
    fields.read("session", id, kMaximumLineBytes);
    if (Result<SessionId> session = SessionId::parse(id)) {
        message.session = *std::move(session);
    } else {
        fields.reject("session");
    }
    fields.read("lines", message.lines, kMaximumLines, kMaximumLineBytes);
    fields.read("pty", message.hasPty);
    fields.read("stdin", message.hasStdin);
    fields.read("stdout", message.hasStdout);
    fields.read("stderr", message.hasStderr);
}

void write(json& object, const Stopped& message)
{
    object["signal"] = message.signal;
}
void read(FieldReader& fields, Stopped& message)
{
    readSignal(fields, "signal", message.signal);
}

void write(json& object, const Exited& message)
{
    object["waitStatus"] = message.waitStatus;
    object["summary"] = lineToJson(message.summary);
    object["lines"] = linesToJson(message.lines);
}
void read(FieldReader& fields, Exited& message)
{
    fields.read("waitStatus", message.waitStatus);
    fields.read("summary", message.summary, kMaximumLineBytes);
    fields.read("lines", message.lines, kMaximumLines, kMaximumLineBytes);
}

void write(json& object, const Failed& message)
{
    object["exitCode"] = message.exitCode;
    object["message"] = lineToJson(message.message);
}
void read(FieldReader& fields, Failed& message)
{
    fields.read("exitCode", message.exitCode);
    // 0 would call a failure a success.
    if (message.exitCode < 1 || message.exitCode > 255) {
        fields.reject("exitCode");
    }
    fields.read("message", message.message, kMaximumLineBytes);
}

void write(json& object, const Advanced& message)
{
    object["seq"] = message.seq.value();
}
void read(FieldReader& fields, Advanced& message)
{
    std::uint64_t seq = 0;
    fields.read("seq", seq);
    message.seq = EventSeq(seq);
}

void write(json& object, const Info& message)
{
    object["info"] = toJson(message.session);
}
void read(FieldReader& fields, Info& message)
{
    const json* const info = fields.find("info");
    Result<SessionInfo> session = sessionInfoFromJson(info == nullptr ? json() : *info);
    if (session) {
        message.session = *std::move(session);
    } else {
        fields.reject("info");
    }
}

void write(json& object, const Answer& message)
{
    object["done"] = message.isDone;
    object["message"] = lineToJson(message.message);
    object["conflict"] = message.isConflict;
}
void read(FieldReader& fields, Answer& message)
{
    fields.read("done", message.isDone);
    fields.read("message", message.message, kMaximumLineBytes);
    fields.read("conflict", message.isConflict);
}

void write(json& object, const Notice& message)
{
    object["line"] = lineToJson(message.line);
}
void read(FieldReader& fields, Notice& message)
{
    fields.read("line", message.line, kMaximumLineBytes);
}

void write(json& object, const AnswerAsk& message)
{
    object["ask"] = message.ask.text();
    object["hash"] = lineToJson(message.hash);
    object["approved"] = message.isApproved;
    object["scope"] = toString(message.scope);
    if (message.until) {
        object["until"] = message.until->time_since_epoch().count();
    }
}
void read(FieldReader& fields, AnswerAsk& message)
{
    std::string ask;
    std::string scope;
    std::int64_t until = 0;
    fields.read("ask", ask, kMaximumLineBytes);
    fields.read("hash", message.hash, kMaximumLineBytes);
    fields.read("approved", message.isApproved);
    fields.read("scope", scope, kMaximumLineBytes);
    fields.read("until", until);
    const auto id = AskId::parse(ask);
    const auto parsedScope = parseGrantScope(scope);
    if (!id) {
        fields.reject("ask");
        return;
    }
    if (!parsedScope) { // a missing one too: nothing is approved by default
        fields.reject("scope");
        return;
    }
    message.ask = *id;
    message.scope = *parsedScope;
    if (fields.has("until")) {
        message.until = WallTime(std::chrono::microseconds(until));
        if (until <= 0 || message.scope != GrantScope::Project) {
            fields.reject("until");
        }
    }
}

void write(json& object, const GrantsChanged& message)
{
    object["grant"] = message.grant;
}
void read(FieldReader& fields, GrantsChanged& message)
{
    fields.read("grant", message.grant);
}

template<std::size_t Index = 0>
Result<Message> decodeAs(std::size_t index, FieldReader& fields)
{
    if constexpr (Index == std::variant_size_v<Message>) {
        return fail(ErrorCode::Malformed, "read a message", "its type is unknown");
    } else {
        if (index != Index) {
            return decodeAs<Index + 1>(index, fields);
        }
        std::variant_alternative_t<Index, Message> message;
        read(fields, message);
        REVET_RETURN_IF_ERROR(fields.result());
        return Message(std::move(message));
    }
}

} // namespace

std::string encode(const Message& message)
{
    json object = {{"version", kProtocolVersion}, {"type", kTypes.at(message.index())}};
    std::visit([&object](const auto& kind) { write(object, kind); }, message);
    return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<Message> decode(std::string_view bytes)
{
    REVET_ASSIGN_OR_RETURN(const json object, parseObject(bytes));
    FieldReader fields(object);
    std::uint32_t version = 0;
    std::string type;
    fields.read("version", version);
    fields.read("type", type, kMaximumLineBytes);
    REVET_RETURN_IF_ERROR(fields.result());
    if (version != kProtocolVersion) {
        return fail(ErrorCode::Malformed, "read a message",
                    "it has version " + std::to_string(version) + " of the protocol; restart the session");
    }
    std::size_t index = 0;
    while (index < kTypes.size() && kTypes.at(index) != type) {
        ++index;
    }
    return decodeAs(index, fields);
}

} // namespace revet::ipc
