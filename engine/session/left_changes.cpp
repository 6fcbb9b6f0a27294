// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/left_changes.h"

#include "engine/workspace/layer_changes.h"
#include "engine/workspace/review.h"

namespace revet::session {

namespace {

/// The person waits for the line: some 20 ms from the page cache.
constexpr std::uint64_t kComparedBytes = std::uint64_t{64} << 20U;

} // namespace

Result<LeftChanges> findLeftChanges(const std::vector<LeftLayer>& layers, const policy::RunLaterTable& table)
{
    workspace::ChangeCount sum;
    for (const LeftLayer& layer : layers) {
        REVET_ASSIGN_OR_RETURN(UniqueFd upper, layer.upper.duplicate());
        REVET_ASSIGN_OR_RETURN(UniqueFd lower, layer.lower.duplicate());
        REVET_ASSIGN_OR_RETURN(
            const auto changes,
            workspace::LayerChanges(std::move(upper), std::move(lower), kComparedBytes).changes());
        // A side root is the repository of a linked work tree.
        const bool isSideRoot = &layer != &layers.front();
        const workspace::ChangeCount count = workspace::countChanges(changes, table);
        sum.directories += isSideRoot ? 0 : count.directories;
        sum.files += isSideRoot ? 0 : count.files;
        sum.held += isSideRoot ? 0 : count.held;
        sum.hasRepositoryChanges
            = sum.hasRepositoryChanges || count.hasRepositoryChanges || (isSideRoot && !changes.empty());
    }
    LeftChanges left;
    left.isNothing = sum.files == 0 && sum.directories == 0 && !sum.hasRepositoryChanges;
    if (sum.files != 0) {
        left.text = std::to_string(sum.files) + (sum.files == 1 ? " file" : " files");
    } else if (sum.directories != 0) {
        left.text = "directories";
    }
    if (sum.hasRepositoryChanges) {
        left.text += left.text.empty() ? "its repository" : " and its repository";
    }
    left.text = left.isNothing ? "nothing changed" : left.text + " changed";
    if (sum.held != 0) {
        left.text += ", " + std::to_string(sum.held) + " of them pinned";
    }
    return left;
}

} // namespace revet::session
