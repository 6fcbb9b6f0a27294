// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/workspace/change.h"

#include <cstdint>
#include <limits>

namespace revet::workspace {

/// What a layer (the upper directory of an overlay) changes of the project below it. Everything that
/// overlayfs writes there is understood: whiteouts in both forms, opaque directories, copies that nobody
/// changed. What the box itself may have planted of that kind arrives under other names
/// (user.overlay.overlay.*) and is an attribute like any other. Boxes leave entries that nobody may read: see
/// os::enterUserNamespace().
class LayerChanges final : public ChangeSource
{
public:
    /// Content is compared up to so many bytes in all; beyond that a copy with another time counts as
    /// changed.
    static constexpr std::uint64_t kCompareAll = std::numeric_limits<std::uint64_t>::max();

    /// Directories, open in any way (O_PATH will do): the layer's upper one and the project.
    LayerChanges(UniqueFd upper, UniqueFd lower, std::uint64_t compareBytes = kCompareAll);

    [[nodiscard]] Result<std::vector<Change>> changes() override;
    [[nodiscard]] Result<UniqueFd> openBefore(const Change& change) override;
    [[nodiscard]] Result<UniqueFd> openAfter(const Change& change) override;

private:
    UniqueFd m_upper;
    UniqueFd m_lower;
    std::uint64_t m_compareBytes;
};

} // namespace revet::workspace
