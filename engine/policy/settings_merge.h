// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/policy/settings.h"
#include "engine/policy/sourced.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace revet::policy {

/// Settings of several files as one, each value with the file it is from.
struct EffectiveSettings
{
    std::optional<Sourced<Tier>> tier;
    SourcedTexts profiles;
    SourcedTexts unhide;
    SourcedTexts bindRo;
    SourcedTexts bindRw;
    SourcedTexts allowHosts;
    SourcedTexts denyHosts;
    SourcedTexts env;
    std::optional<Sourced<std::uint64_t>> memoryBytes;
    std::optional<Sourced<std::uint64_t>> processes;
    std::optional<Sourced<std::uint64_t>> diskBytes;
    std::optional<Sourced<std::chrono::seconds>> time;
    std::optional<Sourced<std::uint64_t>> undoBudget;
    std::optional<Sourced<std::uint64_t>> undoLargest;
    std::optional<Sourced<std::uint64_t>> brake;
    std::optional<Sourced<ObserveLevel>> observe;
    std::optional<Sourced<OnAsk>> onAsk;

    /// The values alone.
    [[nodiscard]] Settings settings() const;
};

/// Each layer is (name, settings), the weakest first. Single values of later layers win; lists add up, but an
/// environment variable is taken from the last layer that names it.
[[nodiscard]] EffectiveSettings mergeSettings(const std::vector<std::pair<std::string, Settings>>& layers);

/// What an untrusted repository's settings may do to those in force.
struct Tightening
{
    Settings taken; ///< only what makes the box narrower; to be merged last
    std::vector<std::string> ignored; ///< "tier = host", "allow_hosts = example.org": for people
};
[[nodiscard]] Tightening tightenedBy(const Settings& inForce, const Settings& repository);

} // namespace revet::policy
