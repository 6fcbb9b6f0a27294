// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/domain/places.h"
#include "engine/domain/session_info.h"
#include "engine/policy/run_later.h"
#include "engine/workspace/change.h"

#include <memory>
#include <string>
#include <vector>

namespace revet::session {

/// One directory that a session worked on, and what it changed there.
struct ReviewRoot
{
    std::string path; ///< absolute, bytes
    UniqueFd directory; ///< O_PATH
    std::unique_ptr<workspace::ChangeSource> source;
};

/// The project, then its side roots. A layer lies behind a directory that nobody may enter: the process has
/// to be in os::enterUserNamespace()'s. Conflict where the project has been replaced.
[[nodiscard]] Result<std::vector<ReviewRoot>> openReview(const Places& places, const SessionInfo& session);

[[nodiscard]] std::vector<std::string> pathsOf(const std::vector<ReviewRoot>& roots);

/// Of the person who reviews.
[[nodiscard]] std::filesystem::path ownHome(const Places& places);

/// The run-later table, and what the host as it is runs from within these directories though no table names
/// it. Looks through them as the start of a direct session does.
[[nodiscard]] Result<policy::RunLaterTable> reviewTable(const Places& places,
                                                        const std::vector<std::string>& roots);

} // namespace revet::session
