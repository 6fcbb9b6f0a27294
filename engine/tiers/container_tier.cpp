// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/tiers/container_tier.h"

namespace revet::tiers {

using launcher::StepKind;

void ContainerTier::addProject(const BoxSpec& spec, launcher::Plan& plan) const
{
    plan.outer.push_back({StepKind::Overlay, spec.project, spec.project, spec.layer, 0});
    for (std::size_t i = 0; i < spec.sideRoots.size(); ++i) {
        const std::string& root = spec.sideRoots[i];
        plan.outer.push_back({StepKind::Overlay, root, root, layerPart(spec.layer, i + 1), 0});
    }
}

} // namespace revet::tiers
