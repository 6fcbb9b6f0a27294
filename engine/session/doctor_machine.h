// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/domain/places.h"
#include "engine/session/doctor.h"

#include <optional>
#include <string>
#include <vector>

namespace revet::session {

/// Settings of the system that can forbid user namespaces; none where the system does not have them.
struct NamespaceSettings
{
    std::optional<long> apparmorRestriction; ///< kernel.apparmor_restrict_unprivileged_userns
    std::optional<long> unprivilegedClone; ///< kernel.unprivileged_userns_clone
    std::optional<long> maximum; ///< user.max_user_namespaces
};
/// The narrowest remedy for a user namespace that could not be made.
[[nodiscard]] std::string namespaceRemedy(int errnoValue, const NamespaceSettings& settings,
                                          const std::string& launcher);
/// Of a kernel release such as "6.1.0-18-amd64".
[[nodiscard]] DoctorCheck checkKernel(const std::string& release);
/// Of kernel.yama.ptrace_scope; none: the system has no Yama.
[[nodiscard]] DoctorCheck checkTraceScope(std::optional<long> scope);

/// Tries the parts of the machine that boxes are made of. Main thread.
[[nodiscard]] std::vector<DoctorCheck> checkMachine(const Places& places, const Installation& installation);

} // namespace revet::session
