// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/ipc/box_protocol.h"

#include "engine/ipc/channel.h"
#include "engine/ipc/json_fields.h"

#include <algorithm>
#include <array>
#include <utility>

namespace revet::ipc {

namespace {

using nlohmann::json;

constexpr std::size_t kMaximumWordBytes = 64;
constexpr std::size_t kMaximumTargetBytes = 4096; ///< PATH_MAX
constexpr std::array kStates = {"open", "permitted already", "refused", "unavailable"};

json answer(const char* type)
{
    return {{"version", kBoxProtocolVersion}, {"type", type}};
}

std::string textOf(const json& object)
{
    return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// A member that has to be there, and to hold something.
void readNeeded(FieldReader& fields, const char* name, std::string& bytes, std::size_t maximumBytes)
{
    fields.read(name, bytes, maximumBytes);
    if (bytes.empty()) {
        fields.reject(name);
    }
}

} // namespace

Result<BoxRequest> decodeBoxRequest(std::string_view bytes)
{
    REVET_ASSIGN_OR_RETURN(const json object, parseObject(bytes));
    FieldReader fields(object);
    std::uint32_t version = 0;
    std::string type;
    fields.read("version", version);
    fields.read("type", type, kMaximumWordBytes);
    BoxRequest request;
    if (type == "request_access") {
        AccessRequest access;
        readNeeded(fields, "kind", access.kind, kMaximumWordBytes);
        readNeeded(fields, "target", access.target, kMaximumTargetBytes);
        fields.read("reason", access.reason, kMaximumReasonBytes);
        request = std::move(access);
    } else if (type == "note") {
        BoxNote note;
        readNeeded(fields, "text", note.text, kMaximumNoteBytes);
        request = std::move(note);
    } else if (type == "recent_denials") {
        request = DenialsRequest();
    } else {
        fields.reject("type");
    }
    if (version != kBoxProtocolVersion) {
        fields.reject("version");
    }
    REVET_RETURN_IF_ERROR(fields.result());
    return request;
}

std::string encodeAccess(AccessState state, const std::string& ask)
{
    json object = answer("access");
    object["state"] = kStates.at(static_cast<std::size_t>(state));
    if (!ask.empty()) {
        object["ask"] = ask;
    }
    return textOf(object);
}

std::string encodeNoted()
{
    return textOf(answer("noted"));
}

std::string encodeDenials(const std::vector<Denial>& denials)
{
    constexpr std::size_t kOther = 256; ///< what is around them
    json fitting = json::array();
    std::size_t size = kOther;
    for (auto denial = denials.rbegin(); denial != denials.rend(); ++denial) {
        json one = {{"time", toRfc3339(denial->time)}, {"what", denial->what}, {"why", denial->why}};
        if (!denial->remedy.empty()) {
            one["remedy"] = denial->remedy;
        }
        size += textOf(one).size() + 1;
        if (size > kMaximumFrameBytes) {
            break;
        }
        fitting.push_back(std::move(one));
    }
    std::reverse(fitting.begin(), fitting.end());
    json object = answer("denials");
    object["denials"] = std::move(fitting);
    return textOf(object);
}

std::string encodeRefusal(std::string_view why)
{
    json object = answer("error");
    object["message"] = why;
    return textOf(object);
}

} // namespace revet::ipc
