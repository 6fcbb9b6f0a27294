// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/egress/name_map.h"

namespace revet::egress {

namespace {

constexpr std::uint32_t kFirst = 0xc6120100; ///< 198.18.1.0; the resolver's and the veth's lie apart
constexpr std::size_t kV4At = 12; ///< in IpAddress::bytes()

std::uint32_t wordOf(const policy::IpAddress& address)
{
    std::uint32_t word = 0;
    for (std::size_t i = kV4At; i < address.bytes().size(); ++i) {
        word = word << 8U | address.bytes().at(i);
    }
    return word;
}

policy::IpAddress addressAt(std::uint32_t number)
{
    const std::uint32_t word = kFirst + number;
    return policy::IpAddress::v4({static_cast<std::uint8_t>(word >> 24U),
                                  static_cast<std::uint8_t>(word >> 16U),
                                  static_cast<std::uint8_t>(word >> 8U), static_cast<std::uint8_t>(word)});
}

} // namespace

std::optional<policy::IpAddress> NameMap::addressOf(const policy::HostName& name, bool mayLookUp)
{
    const auto known = m_numbers.find(name);
    if (known != m_numbers.end()) {
        return addressAt(known->second);
    }
    if (m_names.size() >= m_capacity - (mayLookUp ? 0 : m_reserved)) {
        return std::nullopt;
    }
    const auto number = static_cast<std::uint32_t>(m_names.size());
    m_names.push_back(name);
    m_numbers.emplace(name, number);
    return addressAt(number);
}

const policy::HostName* NameMap::nameOf(const policy::IpAddress& address) const
{
    const std::uint32_t word = wordOf(address);
    const bool isOurs = address.isV4() && word >= kFirst && word - kFirst < m_names.size();
    return isOurs ? &m_names[word - kFirst] : nullptr;
}

} // namespace revet::egress
