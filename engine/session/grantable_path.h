// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/domain/places.h"
#include "engine/policy/hidden.h"

#include <cstdint>
#include <string>

namespace revet::session {

/// A file or directory of the host that a person may show to a box: this very object.
struct GrantablePath
{
    std::string path; ///< absolute, through no link
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
};

/// Refused, and by what name: Revet's own places, the home and what holds it, what the hidden table has or
/// has something of below, links, and whatever is no file or directory. InvalidArgument, NotFound.
[[nodiscard]] Result<GrantablePath> grantablePath(const std::string& path, const std::string& home,
                                                  const Places& places, const policy::HiddenTable& hidden);

} // namespace revet::session
