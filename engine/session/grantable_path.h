// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/domain/places.h"
#include "engine/policy/hidden.h"
#include "engine/policy/run_later.h"

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

/// Refused, by whatever name: Revet's own places and where undo may make some, the home and what holds it,
/// what the hidden table has or has something of below. Also links, and whatever is no file or directory, as
/// the kernel's are not. InvalidArgument, NotFound.
[[nodiscard]] Result<GrantablePath> grantablePath(const std::string& path, const std::string& home,
                                                  const Places& places, const policy::HiddenTable& hidden);

/// Refused, by its name: what this machine runs later, of the home's and of any project's.
[[nodiscard]] Result<void> checkWritable(const std::string& path, const std::string& home,
                                         const policy::RunLaterTable& runLater);

} // namespace revet::session
