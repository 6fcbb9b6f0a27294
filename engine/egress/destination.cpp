// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/egress/destination.h"

namespace revet::egress {

std::string Destination::text() const
{
    const std::string host = name ? name->text()
        : address.isV4()          ? address.text()
                                  : '[' + address.text() + ']';
    return host + ':' + std::to_string(port);
}

} // namespace revet::egress
