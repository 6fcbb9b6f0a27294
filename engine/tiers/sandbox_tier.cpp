// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/tiers/sandbox_tier.h"

namespace revet::tiers {

using launcher::StepKind;

void SandboxTier::addProject(const BoxSpec& spec, launcher::Plan& plan) const
{
    plan.outer.push_back({StepKind::Bind, spec.project, spec.project, {}, 0});
    plan.init.push_back({StepKind::ReadOnly, {}, spec.project, {}, 0});
    for (const std::string& root : spec.sideRoots) {
        plan.outer.push_back({StepKind::Bind, root, root, {}, 0});
        plan.init.push_back({StepKind::ReadOnly, {}, root, {}, 0});
    }
}

} // namespace revet::tiers
