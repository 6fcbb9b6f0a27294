// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/workspace/operation.h"
#include "engine/workspace/step.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace revet::workspace {

/// Paths in the order of a walk: a directory, what is below it, what comes after it.
struct WalkOrder
{
    bool operator()(std::string_view one, std::string_view other) const;
};

/// An operation with what was found at its path.
struct Planned
{
    Operation operation;
    Entry present;
    bool isDone = false; ///< it is as wanted
    bool givesAway = false; ///< what lies there goes to another path
    bool isAnew = false; ///< a file of its own, though what lies there would do but for its other names
    std::uint32_t slot = 0; ///< that what lies there goes into, by a TakeOut
};
using Plan = std::map<std::string, Planned, WalkOrder>;

/// The mode that is wanted of what is made anew.
[[nodiscard]] mode_t newMode(const Operation& operation);

/// Whether the object at the path stays, and only its mode, time or attributes change.
[[nodiscard]] bool isInPlace(const Planned& planned);

/// Looks at every path, marks what is as wanted, and lists all that stands in the way. Changes nothing.
[[nodiscard]] Result<std::vector<Conflict>> lookAtPlan(int tree, int store, Plan& plan);

/// Makes in the slots what the plan brings anew, and gives the steps that it takes. Nothing outside of the
/// slots is changed.
[[nodiscard]] Result<std::vector<Step>> makeSteps(const Scene& scene, Plan& plan);

/// lookAt(), for which "" is the root itself.
[[nodiscard]] Result<Entry> lookAtDirectory(int root, const std::string& path);

} // namespace revet::workspace
