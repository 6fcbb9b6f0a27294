// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/domain/places.h"
#include "engine/policy/build_output.h"
#include "engine/policy/environment.h"
#include "engine/policy/hidden.h"
#include "engine/policy/profile.h"
#include "engine/policy/run_later.h"
#include "engine/session/installation.h"

#include <optional>
#include <string>
#include <utility>

namespace revet::session {

/// The tables that Revet ships, each read when it is needed: most commands need few.
class ShippedData
{
public:
    ShippedData(Installation installation, Places places)
        : m_installation(std::move(installation))
        , m_places(std::move(places))
    {
    }
    [[nodiscard]] const Installation& installation() const { return m_installation; }
    /// Reads what does not depend on a request, before there is one. It is handed out once, without a copy;
    /// who asks again reads it again.
    [[nodiscard]] Result<void> preload();
    [[nodiscard]] Result<policy::RunLaterTable> runLater() const;
    [[nodiscard]] Result<policy::BuildOutputTable> buildOutput() const;
    [[nodiscard]] Result<policy::HiddenTable> hidden(const std::string& home) const;
    [[nodiscard]] Result<policy::HiddenNames> hiddenNames() const;
    [[nodiscard]] Result<policy::EnvironmentTable> environment();
    /// Shipped profiles and the user's own (config/profiles/*.toml), which win.
    [[nodiscard]] Result<policy::ProfileSet> profiles();

private:
    Installation m_installation;
    Places m_places;
    std::optional<policy::EnvironmentTable> m_environment; ///< preloaded
    std::optional<policy::ProfileSet> m_profiles;
};

} // namespace revet::session
