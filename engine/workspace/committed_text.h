// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/workspace/git_library.h"

#include <cstdint>
#include <string>

namespace revet::workspace {

/// Files as the host's branch had them at a time in the past: what a session began with, but for what was
/// not committed, which both sides of a merge then have.
class CommittedText
{
public:
    /// `workTree` is borrowed; `before`: nanoseconds since 1970. NotFound where git knows of no commit then.
    [[nodiscard]] static Result<CommittedText> open(int workTree, std::int64_t before);
    /// NotFound where there was no such file.
    [[nodiscard]] Result<std::string> at(const std::string& path) const;

private:
    CommittedText(GitRepository repository, std::string commit)
        : m_repository(std::move(repository))
        , m_commit(std::move(commit))
    {
    }
    GitRepository m_repository;
    std::string m_commit;
};

} // namespace revet::workspace
