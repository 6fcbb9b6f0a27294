// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/session_end.h"

#include <system_error>

namespace revet::session {

SessionEnd commandNotStarted(const launcher::Report& failed)
{
    return {"a step of the command's start failed", std::nullopt,
            ipc::Failed{ipc::kRevetFailed,
                        "start the command: " + failed.text + ": "
                            + std::generic_category().message(failed.value)
                            + "; 'revet doctor' tells what works here"}};
}

} // namespace revet::session
