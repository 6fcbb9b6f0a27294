// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/clock.h"
#include "engine/policy/settings.h"

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

namespace revet::workspace {

/// Notices a burst that destroys: many names of a project gone within a short time and not made again.
/// Counted are entries that were there before the session and are no build output; what is replaced, renamed
/// or written to stays, and does not count, nor does what git itself removes of what it tracks (the caller
/// knows). It guards against accidents, and is no wall: who goes slowly passes. Pure; not thread-safe.
class Brake
{
public:
    struct Limits
    {
        std::uint32_t files = policy::kDefaultBrake; ///< 0: no brake
        std::chrono::seconds window{10};
        /// A directory at the top of the project that has gone with so many files is the last thing to go.
        std::uint32_t filesOfTop = 20;
        std::uint32_t topEntries
            = 20; ///< entries at the top themselves; half of all of them, if that is more
    };
    explicit Brake(const Limits& limits)
        : m_limits(limits)
    {
    }

    /// Why the entry at `path` (relative to the project) must not be removed now; none: it may, and counts.
    /// To be tried again or refuse()d. Once pulled it holds for every counted removal, until none has been
    /// tried for the length of a window.
    [[nodiscard]] std::optional<std::string> removing(std::string_view path, bool isDirectory,
                                                      SteadyTime now);
    /// A removal that it was against has not been done.
    void refuse() { ++m_refused; }
    /// What has gone within the window, for the person: "120 in src, 80 in docs, 3 at the top".
    [[nodiscard]] std::string places() const;
    /// Something has been made at `path`: what had been there is replaced, not destroyed.
    void made(std::string_view path);
    /// How often it was pulled, and how many removals that refused.
    [[nodiscard]] std::uint64_t pulls() const { return m_pulls; }
    [[nodiscard]] std::uint64_t refused() const { return m_refused; }

private:
    [[nodiscard]] std::optional<std::string> reason(std::string_view path, bool isDirectory) const;
    void expire(SteadyTime now);
    void uncount(const std::string& path);

    struct Removal
    {
        SteadyTime when;
        std::string path;
        bool isDirectory = false;
    };
    Limits m_limits;
    std::deque<Removal> m_recent; ///< also what has been made again since
    std::unordered_map<std::string, Removal> m_gone;
    std::uint32_t m_files = 0;
    std::uint32_t m_topEntries = 0;
    std::unordered_map<std::string, std::uint32_t> m_filesOfTop; ///< by the first component
    std::set<std::string> m_topsGone; ///< directories at the top, with filesOfTop or more
    std::optional<std::string> m_pulled; ///< why
    SteadyTime m_lastTry{};
    std::uint64_t m_pulls = 0;
    std::uint64_t m_refused = 0;
};

} // namespace revet::workspace
