// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/api/review_program.h"

#include "engine/session/installation.h"

namespace revet::api {

Result<std::string> reviewProgram()
{
    REVET_ASSIGN_OR_RETURN(const session::Installation installation, session::Installation::find());
    return (installation.libexec / "revet-review").string();
}

} // namespace revet::api
