// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/supervisor/box_view.h"
#include "engine/supervisor/call.h"
#include "engine/supervisor/host_view.h"
#include "engine/supervisor/target.h"
#include "engine/supervisor/tree_generation.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include <sys/stat.h>

namespace revet::supervisor {

/// What a claimed path was when it was looked at: for the record only, never for a decision.
struct Sighting
{
    enum class State : std::uint8_t {
        Exists,
        Missing, ///< neither in the box nor on the host
        Withheld, ///< on the host, not in the box
        Unreachable, ///< a directory on the way may not be searched, a loop of links, …
    };
    State state = State::Missing;
    std::string path; ///< canonical where it exists, else the claim made absolute
    mode_t mode = 0; ///< Exists: type and permissions; 0 where they are not known (procfs)
    bool isReadable = true; ///< as far as permission bits tell
    int errnoValue = 0; ///< Missing, Withheld, Unreachable
};

/// Finds out what the kernel will use for a path that it is left to resolve, in the box's own tree. The
/// resolutions of reads are remembered, since programs read the same files again and again. One thread.
class Resolver
{
public:
    Resolver(const BoxView& box, const HostView& host, const TreeGeneration& generation);

    /// The path a call names, made absolute by its descriptor or the working directory, with the links of
    /// /proc/self and /dev/fd that only the caller has put in. Not normalised.
    [[nodiscard]] Result<std::string> claimedPath(Target& target, const PathArgument& argument) const;
    /// What a read of that path gets, following links; remembered.
    [[nodiscard]] const Sighting& lookForReading(const std::string& claimed);

    struct Look
    {
        Sighting sighting;
        UniqueFd object; ///< O_PATH, where it exists
    };
    enum class LastComponent : std::uint8_t { Follow, Keep };
    /// The same, fresh.
    [[nodiscard]] Look look(const std::string& claimed, LastComponent last) const;

    [[nodiscard]] const Root* rootOf(std::string_view canonical) const;

private:
    struct Remembered
    {
        Sighting sighting;
        std::uint64_t generation = 0; ///< 0: below a tree that the box cannot change
    };
    [[nodiscard]] Sighting missing(const std::string& claimed, int errnoValue) const;
    [[nodiscard]] bool isFixed(std::string_view path) const;
    [[nodiscard]] bool isShared(std::string_view path) const;

    const BoxView& m_box;
    const HostView& m_host;
    const TreeGeneration& m_generation;
    std::unordered_map<std::string, Remembered> m_remembered;
    Sighting m_passing; ///< the last one that is not to be remembered
};

/// "/a//b/./c/../d" is "/a/b/d". Only text: right where no component is a link.
[[nodiscard]] std::string normalized(std::string_view absolutePath);

} // namespace revet::supervisor
