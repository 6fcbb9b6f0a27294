// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <memory>
#include <string>

#include <git2/oid.h>
#include <git2/types.h>

namespace revet::workspace {

/// libgit2, for as long as the program runs; nobody's configuration is read.
[[nodiscard]] Result<void> startGit();
/// What libgit2 says of its last failure.
[[nodiscard]] tl::unexpected<Error> failGit(std::string operation);

/// In hexadecimal.
[[nodiscard]] std::string hexOf(const git_oid& id);

struct FreeGit
{
    void operator()(git_odb* odb) const noexcept;
    void operator()(git_repository* repository) const noexcept;
};
using GitOdb = std::unique_ptr<git_odb, FreeGit>;
using GitRepository = std::unique_ptr<git_repository, FreeGit>;

/// The repository of an open directory, for what it says: nothing of it is run. None where there is none.
[[nodiscard]] GitRepository openWorkTree(int workTree);

} // namespace revet::workspace
