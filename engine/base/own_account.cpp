// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/base/own_account.h"

#include <cstdio>
#include <memory>

#include <pwd.h>
#include <unistd.h>

namespace revet {

std::optional<PasswordLine> ownPasswordLine()
{
    const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen("/etc/passwd", "re"), std::fclose);
    // Not thread-safe, and called before there are threads.
    while (const passwd* const line
           = file ? ::fgetpwent(file.get()) : nullptr) { // NOLINT(concurrency-mt-unsafe)
        if (line->pw_uid == ::getuid()) {
            return PasswordLine{line->pw_name, line->pw_dir};
        }
    }
    return std::nullopt;
}

} // namespace revet
