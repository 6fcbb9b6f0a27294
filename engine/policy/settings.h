// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/domain/session_info.h"
#include "engine/domain/tier.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace revet::policy {

/// What happens to a crossing: wait for an answer (the default deadline), refuse at once, or refuse after a
/// while.
struct OnAsk
{
    enum class Kind : std::uint8_t { Wait, Deny, Deadline };
    Kind kind = Kind::Wait;
    std::chrono::seconds deadline{}; ///< for Kind::Deadline

    friend bool operator==(const OnAsk&, const OnAsk&) = default;
};
[[nodiscard]] Result<OnAsk> parseOnAsk(std::string_view text); ///< "wait", "deny" or a duration
[[nodiscard]] std::string toString(const OnAsk& onAsk);

struct Limits
{
    std::optional<std::uint64_t> memoryBytes;
    std::optional<std::uint64_t> processes;
    std::optional<std::uint64_t> diskBytes;
    std::optional<std::chrono::seconds> time;

    friend bool operator==(const Limits&, const Limits&) = default;
};

/// What a direct session keeps of what it destroys, and when it is stopped destroying.
inline constexpr std::uint64_t kDefaultBrake = 200;
struct UndoSettings
{
    std::optional<std::uint64_t> budgetBytes; ///< of all copies of a session
    std::optional<std::uint64_t> largestBytes; ///< of one
    std::optional<std::uint64_t> brake; ///< files gone within 10 s; 0: no brake

    friend bool operator==(const UndoSettings&, const UndoSettings&) = default;
};

/// What config.toml, projects/<id>.toml, .revet.toml and the options of `revet run` can say. Absent and empty
/// mean: says nothing.
struct Settings
{
    std::optional<Tier> tier;
    std::vector<std::string> profiles;
    std::vector<std::string> unhide; ///< paths below the project, globs
    std::vector<std::string> bindRo; ///< "/…" or "~/…"
    std::vector<std::string> bindRw;
    std::vector<std::string> allowHosts; ///< "HOST[:PORT]"
    std::vector<std::string> denyHosts; ///< the same
    std::vector<std::string> env; ///< "NAME" (passed on) or "NAME=value"
    Limits limits;
    UndoSettings undo;
    std::optional<ObserveLevel> observe;
    std::optional<OnAsk> onAsk;

    friend bool operator==(const Settings&, const Settings&) = default;
};

/// Reads the text of a settings file; `name` is what errors call it. Unknown keys are errors, so that a
/// misspelt rule is never silently no rule.
[[nodiscard]] Result<Settings> parseSettings(std::string_view toml, std::string_view name);
/// The same settings as text; parseSettings() reads it back. Comments of an earlier text are not kept.
[[nodiscard]] std::string toToml(const Settings& settings);

/// Applies "KEY=VALUE", "KEY+=VALUE" or "KEY-=VALUE" of `revet project set`. Keys are those of the file and
/// those of its tables, as limits.memory and undo.budget. "=" with an empty VALUE takes the setting away;
/// += and -= are for lists, and on these "=" sets a single item. Leaves `settings` alone when it fails.
[[nodiscard]] Result<void> applyAssignment(Settings* settings, std::string_view assignment);

} // namespace revet::policy
