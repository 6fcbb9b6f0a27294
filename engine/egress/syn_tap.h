// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"

#include <cstddef>
#include <functional>
#include <string_view>

namespace revet::egress {

/// The way packets come out of the gateway and back into it: a ring of first SYNs that the kernel fills, and
/// a socket for what is let through or answered. One thread.
class SynTap
{
public:
    /// As the launcher has made them (launcher/gateway.h).
    [[nodiscard]] static Result<SynTap> open(UniqueFd tap, UniqueFd injector);
    SynTap(SynTap&& other) noexcept;
    SynTap& operator=(SynTap&&) = delete;
    SynTap(const SynTap&) = delete;
    SynTap& operator=(const SynTap&) = delete;
    ~SynTap();

    [[nodiscard]] int fd() const { return m_tap.get(); }
    /// Hands over what has come, at most `most` packets, each from its network header on; valid in the call
    /// only.
    void read(std::size_t most, const std::function<void(std::string_view packet)>& take);

    /// Into the gateway, past the hold. A packet that finds no room is lost, as on any wire: the client sends
    /// it again.
    void letThrough(std::string_view packet) const;
    /// Back to the box.
    void answer(std::string_view packet) const;

private:
    SynTap(UniqueFd tap, UniqueFd injector, char* ring);
    void send(std::string_view packet, int interface, unsigned char lastHardwareByte) const;

    UniqueFd m_tap;
    UniqueFd m_injector;
    char* m_ring = nullptr;
    std::size_t m_next = 0; ///< frame to look at
};

} // namespace revet::egress
