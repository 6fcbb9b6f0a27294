// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <filesystem>

namespace revet::session {

/// Where Revet's own parts are, found from /proc/self/exe: the build tree and the install tree look the same.
struct Installation
{
    std::filesystem::path libexec; ///< revet-session, revet-launch
    std::filesystem::path share; ///< profiles/, tables/

    [[nodiscard]] static Result<Installation> find();
};

} // namespace revet::session
