// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/tiers/tier_backend.h"

namespace revet::tiers {

/// The project itself, read-only in the box and writable in the keeper's tree only, where the supervisor
/// performs what is allowed: a call that slips past can at worst fail with EROFS.
class SandboxTier final : public TierBackend
{
public:
    void addProject(const BoxSpec& spec, launcher::Plan& plan) const override;
};

} // namespace revet::tiers
