// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/domain/places.h"
#include "engine/policy/environment.h"
#include "engine/policy/hidden.h"
#include "engine/policy/profile.h"
#include "engine/policy/run_later.h"
#include "engine/session/installation.h"

#include <string>

namespace revet::session {

/// The tables that Revet ships, each read when it is needed: parsing all of them takes longer than a box.
class ShippedData
{
public:
    ShippedData(Installation installation, Places places)
        : m_installation(std::move(installation))
        , m_places(std::move(places))
    {
    }
    [[nodiscard]] Result<policy::RunLaterTable> runLater() const;
    [[nodiscard]] Result<policy::HiddenTable> hidden(const std::string& home) const;
    [[nodiscard]] Result<policy::EnvironmentTable> environment() const;
    /// Shipped profiles and the user's own (config/profiles/*.toml), which win.
    [[nodiscard]] Result<policy::ProfileSet> profiles() const;

private:
    Installation m_installation;
    Places m_places;
};

} // namespace revet::session
