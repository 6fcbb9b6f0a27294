// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"
#include "engine/session/doctor.h"
#include "engine/session/doctor_process.h"

#include <filesystem>
#include <string>
#include <vector>

namespace revet::session {

/// What the doctor puts on the host for a box to try to reach: listeners, sockets, a process, a key, a
/// descriptor, a variable. All gone when it is destroyed. Main thread, while no other runs.
class DoctorCanaries
{
public:
    /// `outside`: a directory that no box may see; `project`: the one that the box works in.
    [[nodiscard]] static Result<DoctorCanaries> create(const std::filesystem::path& outside,
                                                       const std::filesystem::path& project,
                                                       const std::filesystem::path& probe);
    DoctorCanaries(DoctorCanaries&&) = default;
    DoctorCanaries& operator=(DoctorCanaries&&) = delete;
    DoctorCanaries(const DoctorCanaries&) = delete;
    DoctorCanaries& operator=(const DoctorCanaries&) = delete;
    ~DoctorCanaries();

    /// NAME=value for revet-probe.
    [[nodiscard]] const std::vector<std::string>& facts() const { return m_facts; }
    /// What the host saw of a box that has ended.
    [[nodiscard]] std::vector<DoctorCheck> hostChecks() const;

private:
    struct Listener
    {
        std::string name;
        UniqueFd socket;
    };

    DoctorCanaries() = default;
    [[nodiscard]] Result<void> listenOnLoopback();
    [[nodiscard]] Result<void> listenLocally(const std::string& fact, const std::string& name,
                                             const std::string& address);
    void makeKey(const std::string& mark);

    std::vector<std::string> m_facts;
    std::vector<Listener> m_listeners;
    std::vector<DoctorProcess> m_processes; ///< one
    UniqueFd m_inheritable; ///< a directory's, without close-on-exec
    long m_key = -1;
};

} // namespace revet::session
