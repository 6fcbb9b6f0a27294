// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/domain/error_line.h"

#include "engine/domain/display_escape.h"

#include <algorithm>
#include <string_view>

namespace revet {

std::string errorLine(const Error& error)
{
    // A context that says why makes the code's own words ("invalid argument") noise.
    const bool isExplained = error.errnoValue == 0 && !error.context.empty()
        && (error.code == ErrorCode::InvalidArgument || error.code == ErrorCode::Refused
            || error.code == ErrorCode::Unavailable);
    const std::string text = isExplained ? error.operation + ": " + error.context : toString(error);
    std::string line;
    for (std::string_view rest = text; !rest.empty();) {
        const std::size_t plain = std::min(rest.find('\\'), rest.size());
        line += displayEscape(rest.substr(0, plain));
        rest.remove_prefix(plain);
        if (!rest.empty()) {
            line += '\\';
            rest.remove_prefix(1);
        }
    }
    return line;
}

} // namespace revet
