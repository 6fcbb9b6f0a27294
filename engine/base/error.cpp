// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/base/error.h"

#include <cerrno>
#include <system_error>
#include <utility>

namespace revet {

Error Error::fromErrno(std::string operation)
{
    return fromErrno(std::move(operation), errno);
}

Error Error::fromErrno(std::string operation, int errnoValue)
{
    return {ErrorCode::System, std::move(operation), errnoValue, {}};
}

std::string_view toString(ErrorCode code)
{
    switch (code) {
    case ErrorCode::System:
        return "system error";
    case ErrorCode::InvalidArgument:
        return "invalid argument";
    case ErrorCode::Malformed:
        return "malformed";
    case ErrorCode::NotFound:
        return "not found";
    case ErrorCode::Conflict:
        return "conflict";
    case ErrorCode::Refused:
        return "refused";
    case ErrorCode::Unavailable:
        return "unavailable";
    case ErrorCode::LimitExceeded:
        return "limit exceeded";
    case ErrorCode::Closed:
        return "closed";
    case ErrorCode::TimedOut:
        return "timed out";
    }
    return "unknown";
}

std::string toString(const Error& error)
{
    std::string text = error.operation;
    text += ": ";
    if (error.errnoValue != 0) {
        text += std::generic_category().message(error.errnoValue);
    } else {
        text += toString(error.code);
    }
    if (!error.context.empty()) {
        text += "; ";
        text += error.context;
    }
    return text;
}

} // namespace revet
