// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/policy/host_name.h"
#include "engine/policy/ip_address.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace revet::egress {

/// The box's own address of each name, out of a range that no network has (198.18.0.0/15, RFC 2544): what a
/// client connects to says which name it meant. An address is never given to a second name: programs keep
/// answers for as long as they like. One thread.
class NameMap
{
public:
    /// How many names there can be, and how many of them are kept for those that may be looked up.
    static constexpr std::uint32_t kCapacity = 65'000;
    static constexpr std::uint32_t kReserved = 8192;

    explicit NameMap(std::uint32_t capacity = kCapacity, std::uint32_t reserved = kReserved)
        : m_capacity(capacity)
        , m_reserved(reserved)
    {
    }

    /// None once it is full, for names that may not be looked up a little earlier.
    [[nodiscard]] std::optional<policy::IpAddress> addressOf(const policy::HostName& name, bool mayLookUp);
    [[nodiscard]] const policy::HostName* nameOf(const policy::IpAddress& address) const;

private:
    std::uint32_t m_capacity;
    std::uint32_t m_reserved;
    std::map<policy::HostName, std::uint32_t> m_numbers; ///< of addresses, counted from the first
    std::vector<policy::HostName> m_names; ///< by number
};

} // namespace revet::egress
