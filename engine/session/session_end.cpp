// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/session_end.h"

#include "engine/domain/display_escape.h"

#include <cerrno>
#include <system_error>

namespace revet::session {

namespace {

constexpr int kNotFound = 127;
constexpr int kNotExecutable = 126;
constexpr int kRevetFailed = 125;

} // namespace

SessionEnd commandNotRun(const std::string& program, int errnoValue)
{
    const bool isMissing = errnoValue == ENOENT;
    const std::string why = std::generic_category().message(errnoValue);
    const std::string remedy = isMissing
        ? "it is not on the box's PATH; 'revet profile show' lists what is visible"
        : "make it executable, or name its interpreter";
    return {"the command could not be run", std::nullopt,
            ipc::Failed{isMissing ? kNotFound : kNotExecutable,
                        "run " + displayQuoted(program) + ": " + why + "; " + remedy}};
}

SessionEnd commandNotStarted(const launcher::Report& failed)
{
    return {"a step of the command's start failed", std::nullopt,
            ipc::Failed{kRevetFailed,
                        "start the command: " + failed.text + ": "
                            + std::generic_category().message(failed.value)
                            + "; 'revet doctor' tells what works here"}};
}

} // namespace revet::session
