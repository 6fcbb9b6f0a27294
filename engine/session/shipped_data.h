// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/domain/places.h"
#include "engine/policy/environment.h"
#include "engine/policy/hidden.h"
#include "engine/policy/profile.h"
#include "engine/policy/run_later.h"
#include "engine/session/installation.h"

#include <future>
#include <string>
#include <utility>

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
    /// Starts to read what every session needs on another thread, while the caller does something else.
    void prefetch(const std::string& home);
    [[nodiscard]] Result<policy::RunLaterTable> runLater() const;
    [[nodiscard]] Result<policy::HiddenTable> hidden(const std::string& home) const;
    [[nodiscard]] Result<policy::EnvironmentTable> environment() const;
    /// Shipped profiles and the user's own (config/profiles/*.toml), which win.
    [[nodiscard]] Result<policy::ProfileSet> profiles() const;

private:
    /// What prefetch() has read; taken by the first who asks.
    struct Prefetched
    {
        Result<policy::HiddenTable> hidden;
        Result<policy::EnvironmentTable> environment;
        Result<policy::ProfileSet> profiles;
    };
    [[nodiscard]] Result<policy::HiddenTable> readHidden(const std::string& home) const;
    [[nodiscard]] Result<policy::EnvironmentTable> readEnvironment() const;
    [[nodiscard]] Result<policy::ProfileSet> readProfiles() const;

    Installation m_installation;
    Places m_places;
    std::shared_future<Prefetched> m_prefetched;
};

} // namespace revet::session
