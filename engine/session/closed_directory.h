// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"

#include <filesystem>

namespace revet::session {

/// Where the files lie that a box writes outside of its project: `parent`/closed/`name`. A link in a project
/// may lead there, and whoever followed it outside a box would enter what the box prepared for them. So
/// `parent`/closed has mode 000 from its first moment on, and no window: only the launcher, with the
/// capabilities of its user namespace, passes it.
[[nodiscard]] std::filesystem::path closedDirectory(const std::filesystem::path& parent, const char* name);

/// Makes it, where it is not there yet. The descriptor (O_PATH) is of a directory that was made just now; one
/// that was closed before can be entered by nobody here, and comes as none. A session that was killed before
/// it closed is made good for by the next.
[[nodiscard]] Result<UniqueFd> makeClosedDirectory(const std::filesystem::path& parent, const char* name);

} // namespace revet::session
