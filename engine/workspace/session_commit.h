// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/workspace/apply.h"
#include "engine/workspace/git_library.h"

#include <filesystem>
#include <string>
#include <vector>

namespace revet::workspace {

/// A person, as git writes one.
struct GitPerson
{
    std::string name;
    std::string mail;
};
/// Of the repository's configuration, else of the person's own files, else a name that says who did it.
[[nodiscard]] GitPerson gitPersonOf(int workTree, const std::vector<std::filesystem::path>& configurations);

/// Writes one commit with the changes of files to a repository and gives its id; empty where that would be
/// the same tree. Files that git does not know and that are to be ignored, by the host's rules or by those
/// that come at the top of the tree, stay out. `head`: the commit that the changes are of; `parent`: the
/// commit's own, which may be another one; both may be empty. `workTree`: the host's, borrowed. `leftOut`
/// gets what lies in a submodule, of which a commit names no files.
struct SessionCommit
{
    int workTree = -1;
    std::string head;
    std::string parent;
    GitPerson person;
    std::string message;
};
[[nodiscard]] Result<std::string> writeCommit(git_repository* repository, const SessionCommit& commit,
                                              ChangeSource& source, const std::vector<Change>& changes,
                                              std::vector<HeldChange>& leftOut);

} // namespace revet::workspace
