// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/policy/run_later.h"
#include "engine/workspace/change.h"

#include <memory>
#include <string>
#include <vector>

namespace revet::session {

/// What the session's last lines say of its changes.
struct LeftChanges
{
    bool isNothing = false;
    std::string text; ///< "3 files changed, 1 of them pinned", fit for a screen
    std::vector<std::string> replaced; ///< files of the project that are otherwise now
    std::vector<std::string> lines; ///< which, what the host would run later, new repositories; likewise
};
/// Looks at what a session left in each of its roots, the project first. `heldWord`: for what the host would
/// run later. An error: it could not be found out.
[[nodiscard]] Result<LeftChanges>
findLeftChanges(const std::vector<std::unique_ptr<workspace::ChangeSource>>& sources,
                const policy::RunLaterTable& table, const std::string& heldWord);

/// One line of at most 80 columns: "LABEL: one, two and 5 more". Names are the box's bytes.
[[nodiscard]] std::string listLine(const std::string& label, const std::vector<std::string>& names);

} // namespace revet::session
