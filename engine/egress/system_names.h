// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/egress/lookups.h"

namespace revet::egress {

/// /etc/hosts, then the name servers of /etc/resolv.conf, both as they are at that moment. Not
/// getaddrinfo(3), which a static program cannot use. No search domain is put behind a name. Thread-safe.
class SystemNames final : public NameService
{
public:
    [[nodiscard]] FoundAddresses find(const policy::HostName& name) override;
};

/// The addresses that the text of a hosts(5) file gives a name. Any bytes.
[[nodiscard]] std::vector<policy::IpAddress> addressesInHosts(std::string_view text,
                                                              const policy::HostName& name);
/// The addresses in a server's answer (RFC 1035), IPv4 and IPv6. Any bytes.
[[nodiscard]] std::vector<policy::IpAddress> addressesInAnswer(std::string_view message);

} // namespace revet::egress
