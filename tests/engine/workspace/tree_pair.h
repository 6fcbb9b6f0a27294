// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/workspace/change.h"

#include <filesystem>

namespace revet::test {

/// The changes that lead from one tree to another, both plain directories.
class TreePair final : public workspace::ChangeSource
{
public:
    TreePair(const std::filesystem::path& before, const std::filesystem::path& after);

    Result<std::vector<workspace::Change>> changes() override;
    Result<UniqueFd> openBefore(const workspace::Change& change) override;
    Result<UniqueFd> openAfter(const workspace::Change& change) override;

private:
    UniqueFd m_before;
    UniqueFd m_after;
    std::filesystem::path m_tops[2];
};

} // namespace revet::test
