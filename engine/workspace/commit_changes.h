// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/workspace/change.h"
#include "engine/workspace/git_library.h"

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace revet::workspace {

/// What a commit (or a tag of one) has other than another one, as files of a work tree.
class CommitChanges final : public ChangeSource
{
public:
    /// Ids in hexadecimal; `before` may be empty, for nothing. The repository is borrowed.
    CommitChanges(git_repository* repository, std::string before, std::string after)
        : m_repository(repository)
        , m_before(std::move(before))
        , m_after(std::move(after))
    {
    }

    [[nodiscard]] Result<std::vector<Change>> changes() override;
    [[nodiscard]] Result<UniqueFd> openBefore(const Change& change) override;
    [[nodiscard]] Result<UniqueFd> openAfter(const Change& change) override;
    [[nodiscard]] bool hadBefore(const std::string& path) const override;

private:
    [[nodiscard]] Result<Entry> entryOf(const std::string& id, unsigned mode);
    [[nodiscard]] Result<UniqueFd> open(const std::string& path, bool isAfter);

    git_repository* m_repository;
    std::string m_before;
    std::string m_after;
    std::unordered_map<std::string, std::pair<std::string, std::string>> m_blobs; ///< by path: both ids
};

} // namespace revet::workspace
