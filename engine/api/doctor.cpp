// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/api/doctor.h"

namespace revet::api {

Result<session::DoctorReport> runDoctor(std::optional<Tier> only)
{
    REVET_ASSIGN_OR_RETURN(const Places places, Places::find());
    REVET_ASSIGN_OR_RETURN(const session::Installation installation, session::Installation::find());
    return session::runDoctor(places, installation, only);
}

} // namespace revet::api
