// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/workspace/before_tree.h"
#include "engine/workspace/change.h"

#include <map>

namespace revet::workspace {

/// What a direct session changed in one root: its pre-images against the tree as it is now.
class DirectChanges final : public ChangeSource
{
public:
    /// `directory` holds the manifest (preImagesDirectory()).
    [[nodiscard]] static Result<std::unique_ptr<DirectChanges>> open(const std::filesystem::path& directory);

    [[nodiscard]] Result<std::vector<Change>> changes() override;
    [[nodiscard]] Result<UniqueFd> openBefore(const Change& change) override;
    [[nodiscard]] Result<UniqueFd> openAfter(const Change& change) override;

    [[nodiscard]] const UniqueFd& root() const { return m_root; }
    [[nodiscard]] const PreImages& images() const { return m_images; }
    [[nodiscard]] const BeforeTree& before() const { return m_before; }

private:
    DirectChanges(PreImages images, UniqueFd root);
    /// The paths, original and present, at which the two trees may differ.
    [[nodiscard]] Result<std::set<std::string>> candidates() const;
    [[nodiscard]] Result<Entry> entryBefore(const std::string& path) const;
    /// Of what is where it was: notes in the change how it differs, if it does.
    [[nodiscard]] Result<bool> differs(Change& change) const;
    [[nodiscard]] Result<bool> hasOtherContent(const std::string& original, const Entry& before,
                                               const std::string& present, const Entry& after) const;
    [[nodiscard]] Result<UniqueFd> openOriginal(const std::string& path) const;

    PreImages m_images;
    BeforeTree m_before;
    UniqueFd m_root;
};

} // namespace revet::workspace
