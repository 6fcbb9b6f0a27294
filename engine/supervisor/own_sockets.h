// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <compare>
#include <cstdint>
#include <set>

namespace revet::supervisor {

/// The local sockets that the box has bound in brokered roots. A socket in a project that is not among them
/// was made by a program of the host, which a box must not reach. Not thread-safe; the broker's turn covers
/// it.
class OwnSockets
{
public:
    /// Remembers what `name` in the directory now is; forgotten only with the session.
    void add(int directory, const char* name);
    /// Whether the object behind an O_PATH descriptor is one of them.
    [[nodiscard]] bool contains(int object) const;

private:
    /// With the time of birth, since an inode number is given out again.
    struct Identity
    {
        std::uint64_t device = 0;
        std::uint64_t inode = 0;
        std::int64_t bornSeconds = 0;
        std::uint32_t bornNanoseconds = 0;
        friend auto operator<=>(const Identity&, const Identity&) = default;
    };
    [[nodiscard]] static Identity identify(int directory, const char* name, int flags);
    std::set<Identity> m_sockets;
};

} // namespace revet::supervisor
