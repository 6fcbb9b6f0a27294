// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <string>

namespace revet {

struct PasswordLine
{
    std::string name;
    std::string home;
};

/// The line of /etc/passwd of the user that this process runs as. That file only: other directories of users
/// (LDAP, systemd) are libraries that the C library loads, and our programs are static.
[[nodiscard]] std::optional<PasswordLine> ownPasswordLine();

} // namespace revet
