// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/supervisor/call.h"
#include "engine/supervisor/place.h"
#include "engine/supervisor/target.h"

#include <optional>
#include <string>
#include <string_view>

namespace revet::supervisor {

/// What a path argument claims, ready to be resolved by the kernel in the outer root.
struct Claim
{
    int start = -1; ///< the outer root, or `base`
    UniqueFd base; ///< set where openat2's resolve flags speak about the directory argument
    std::string text;
    std::uint64_t resolve = 0;
    /// /proc/self/fd/N, /dev/fd/N, /dev/stdin …: N is the target's own descriptor. The outer root has no
    /// procfs, and one of ours would name our descriptors.
    std::optional<int> descriptor;
};

enum class LastLink : std::uint8_t { Follow, Keep };

/// Resolves claims to kernel objects below the box's outer root. Errors are system errors: what the kernel
/// said. Thread-safe; holds nothing but the view.
class RootResolver
{
public:
    explicit RootResolver(const BoxView& box)
        : m_box(box)
    {
    }

    [[nodiscard]] Result<Claim> claim(Target& target, const PathArgument& argument,
                                      std::uint64_t resolve = 0) const;
    /// A claim for an absolute path of our own making.
    [[nodiscard]] Claim claimOf(std::string absolute) const;
    /// The object itself, without opening it.
    [[nodiscard]] Result<Found> object(const Claim& claim, LastLink lastLink) const;
    /// The object behind one of the target's descriptors, found again by name on the writable mount and
    /// compared by (dev, ino). An object without a name comes as the duplicate of the descriptor itself.
    [[nodiscard]] Result<Found> behind(Target& target, int descriptor) const;
    /// The parent directory and last name of a claim. A last "." or ".." fails (EINVAL): no call creates,
    /// removes or renames those, and the kernel says which error each call has for them.
    [[nodiscard]] Result<Place> place(const Claim& claim) const;
    /// openat2(2) on a claim; a race with a rename is tried again.
    [[nodiscard]] Result<UniqueFd> open(const Claim& claim, std::uint64_t flags, mode_t mode = 0) const;
    /// Fills path and root from an open descriptor's own path.
    [[nodiscard]] Result<Found> identify(UniqueFd object) const;

    [[nodiscard]] const Root* rootOf(std::string_view canonical) const;
    [[nodiscard]] int passingRecord() const { return m_box.passingRecord.get(); }
    /// Whether the innermost of the roots and host places around it is a host place.
    [[nodiscard]] bool isInHostPlace(std::string_view canonical) const;
    /// Whether `text`, read in `directory` (canonical), names something in a root. What does not exist yet
    /// counts by its nearest existing ancestor.
    [[nodiscard]] bool resolvesInside(std::string_view directory, std::string_view text) const;
    /// A quick look for what a claim may be; not to be relied on (it is not bound to the outer root).
    [[nodiscard]] std::optional<mode_t> likelyMode(const Claim& claim) const;

private:
    const BoxView& m_box;
};

/// The path of an open file as the kernel tells it now.
[[nodiscard]] Result<std::string> pathOfDescriptor(int fd);
/// "/proc/self/fd/N": reaches an O_PATH object by calls that have no descriptor form.
[[nodiscard]] std::string throughProc(int fd);

} // namespace revet::supervisor
