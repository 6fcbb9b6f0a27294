// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/error.h"

#include <tl/expected.hpp>

#include <string>
#include <utility>

namespace revet {

/// A value or an Error; the compiler objects when one is ignored.
template<typename T>
class [[nodiscard]] Result : public tl::expected<T, Error>
{
public:
    using Base = tl::expected<T, Error>;
    using Base::Base;
    // Implicit, so that what the base's helpers return can be returned as it is.
    // NOLINTNEXTLINE(google-explicit-constructor)
    Result(Base&& other)
        : Base(std::move(other))
    {
    }
};

[[nodiscard]] inline tl::unexpected<Error> fail(Error error)
{
    return tl::unexpected<Error>(std::move(error));
}

[[nodiscard]] inline tl::unexpected<Error> fail(ErrorCode code, std::string operation,
                                                std::string context = {})
{
    return fail(Error{code, std::move(operation), 0, std::move(context)});
}

/// For a system call that has just failed; reads errno.
[[nodiscard]] inline tl::unexpected<Error> failErrno(std::string operation)
{
    return fail(Error::fromErrno(std::move(operation)));
}

} // namespace revet

#define REVET_CONCAT_(a, b) a##b
#define REVET_CONCAT(a, b) REVET_CONCAT_(a, b)

/// Returns the error of a Result<void> expression to the caller.
#define REVET_RETURN_IF_ERROR(expression)                                                                    \
    do {                                                                                                     \
        if (auto revetResult = (expression); !revetResult) {                                                 \
            return ::revet::fail(std::move(revetResult).error());                                            \
        }                                                                                                    \
    } while (false)

// A declaration cannot stand in parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define REVET_ASSIGN_OR_RETURN_(temporary, declaration, expression)                                          \
    auto temporary = (expression);                                                                           \
    if (!temporary) {                                                                                        \
        return ::revet::fail(std::move(temporary).error());                                                  \
    }                                                                                                        \
    declaration = std::move(*temporary)
// NOLINTEND(bugprone-macro-parentheses)

/// REVET_ASSIGN_OR_RETURN(auto fd, openDir(path)); uses __COUNTER__, since two on one line would collide with
/// __LINE__.
#define REVET_ASSIGN_OR_RETURN(declaration, expression)                                                      \
    REVET_ASSIGN_OR_RETURN_(REVET_CONCAT(revetTemporary, __COUNTER__), declaration, expression)
