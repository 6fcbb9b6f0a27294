// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace revet::policy {

/// What a file that makes the host run code later means for a write.
enum class RunLaterClass : std::uint8_t {
    Pinned, ///< refused in a direct workspace; held at apply behind its own yes
    Checked, ///< held at apply only when a key or line that runs code changed
    Shown, ///< a badge only
};
[[nodiscard]] std::string_view toString(RunLaterClass cls);

/// resources/tables/run-later.toml, parsed and immutable. Thread-safe.
class RunLaterTable
{
public:
    struct Match
    {
        RunLaterClass cls;
        std::string entry; ///< "editors: .vscode/**", for the journal and for people
    };

    [[nodiscard]] static Result<RunLaterTable> parse(std::string_view toml);
    /// `relative` is the path below the project's root, without a leading slash. The strictest class wins.
    [[nodiscard]] std::optional<Match> match(std::string_view relative) const;
    /// Whether a directory that gets this path could, by its name, bring entries below it under a pinned
    /// pattern (".vscode", "a/.claude"): such a directory may only be renamed in after a scan (rule G4).
    [[nodiscard]] bool couldHoldPinned(std::string_view relativeDirectory) const;

    // The representation is private to run_later.cpp's author.
private:
    struct Pattern;
    std::vector<Pattern> m_patterns;

public:
    RunLaterTable();
    RunLaterTable(const RunLaterTable&);
    RunLaterTable(RunLaterTable&&) noexcept;
    RunLaterTable& operator=(const RunLaterTable&);
    RunLaterTable& operator=(RunLaterTable&&) noexcept;
    ~RunLaterTable();
};

} // namespace revet::policy
