// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"
#include "engine/domain/places.h"
#include "engine/domain/tier.h"
#include "engine/session/doctor.h"

#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

namespace revet::session {

/// A throw-away project with places of its own, private and below the user's cache. Removed when it is
/// destroyed, whatever modes boxes left behind; what a killed doctor left is removed by the next one.
class DoctorWorld
{
public:
    [[nodiscard]] static Result<DoctorWorld> create(const std::filesystem::path& cache);
    DoctorWorld(DoctorWorld&& other) noexcept;
    DoctorWorld& operator=(DoctorWorld&&) = delete;
    DoctorWorld(const DoctorWorld&) = delete;
    DoctorWorld& operator=(const DoctorWorld&) = delete;
    ~DoctorWorld();

    [[nodiscard]] const std::filesystem::path& root() const { return m_root; } ///< holds a file "canary"
    [[nodiscard]] std::filesystem::path project() const { return m_root / "project"; }
    [[nodiscard]] const Places& places() const { return m_places; }
    /// Our environment with the XDG variables that lead a program to these places.
    [[nodiscard]] std::vector<std::string> environment() const;

    /// What a session that ran the probes has left on the host. `layer`: of the container tier.
    [[nodiscard]] std::vector<DoctorCheck> hostChecks(Tier tier, const std::filesystem::path& layer) const;
    /// Removes everything; succeeds once.
    [[nodiscard]] Result<void> remove();

private:
    DoctorWorld() = default;
    [[nodiscard]] Result<void> fill();

    std::filesystem::path m_root;
    Places m_places;
    UniqueFd m_lock; ///< held by the doctor that uses it
    ino_t m_repository = 0;
};

} // namespace revet::session
