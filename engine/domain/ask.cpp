// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/domain/ask.h"

#include <charconv>

namespace revet {

std::string_view toString(AskKind kind)
{
    switch (kind) {
    case AskKind::Destination:
        return "destination";
    case AskKind::Brake:
        return "brake";
    case AskKind::RunLater:
        return "run-later";
    case AskKind::Path:
        return "path";
    case AskKind::PathWrite:
        return "path-rw";
    case AskKind::HostPort:
        return "host-port";
    case AskKind::Publish:
        return "publish";
    case AskKind::Socket:
        return "socket";
    }
    return "destination";
}

std::string_view toString(Lane lane)
{
    switch (lane) {
    case Lane::Files:
        return "files";
    case Lane::Network:
        return "network";
    case Lane::Credentials:
        return "credentials";
    }
    return "network";
}

std::string_view toString(GrantScope scope)
{
    switch (scope) {
    case GrantScope::Once:
        return "once";
    case GrantScope::Process:
        return "process";
    case GrantScope::Session:
        return "session";
    case GrantScope::Project:
        return "project";
    }
    return "once";
}

Result<GrantScope> parseGrantScope(std::string_view text)
{
    for (const GrantScope scope : kAllGrantScopes) {
        if (text == toString(scope)) {
            return scope;
        }
    }
    return fail(ErrorCode::InvalidArgument, "read the scope",
                "write once, process, session, project or a date");
}

std::string_view toString(AskState state)
{
    switch (state) {
    case AskState::Waiting:
        return "waiting";
    case AskState::Approved:
        return "approved";
    case AskState::Denied:
        return "denied";
    case AskState::Missed:
        return "missed";
    }
    return "waiting";
}

Result<AskId> AskId::parse(std::string_view text)
{
    const auto malformed = [] {
        return fail(ErrorCode::InvalidArgument, "read the number of an ask",
                    "it looks like k3f9q2-1; `revet asks` lists them");
    };
    const std::size_t dash = text.find('-');
    const auto session = SessionId::parse(text.substr(0, dash));
    if (!session || dash == std::string_view::npos) {
        return malformed();
    }
    const std::string_view digits = text.substr(dash + 1);
    AskId id{*session, 0};
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), id.number);
    if (problem != std::errc{} || end != digits.data() + digits.size() || id.number == 0
        || digits.front() == '0') {
        return malformed();
    }
    return id;
}

} // namespace revet
