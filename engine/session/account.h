// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace revet::session {

/// Whose session it is.
struct Account
{
    uid_t uid = 0;
    gid_t gid = 0;
    std::string name;
    std::string home; ///< absolute, canonical
};
/// HOME of `environment` when it is absolute, else the account's. Root is refused: a box of root's has the
/// machine's files as its own.
[[nodiscard]] Result<Account> findAccount(const std::vector<std::string>& environment);

/// The value of NAME in a list of NAME=value; empty when it is not there.
[[nodiscard]] std::string environmentValue(const std::vector<std::string>& environment,
                                           const std::string& name);

/// The directories of a PATH, in order.
[[nodiscard]] std::vector<std::filesystem::path> directoriesOf(std::string_view path);

/// "~/…" as a path; others as they are.
[[nodiscard]] std::string expandHome(const std::string& path, const std::string& home);

/// Our own environment.
[[nodiscard]] std::vector<std::string> ownEnvironment();

} // namespace revet::session
