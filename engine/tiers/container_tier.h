// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/tiers/tier_backend.h"

namespace revet::tiers {

/// The project under a layer of the session's own: the box writes freely, the host's files stay as they are.
class ContainerTier final : public TierBackend
{
public:
    void addProject(const BoxSpec& spec, launcher::Plan& plan) const override;
};

} // namespace revet::tiers
