// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/api/engine.h"
#include "engine/session/review_roots.h"
#include "engine/workspace/review.h"
#include "engine/workspace/text_diff.h"

#include <string>
#include <vector>

namespace revet::api {

/// Moves this process to where it may read what boxes made unreadable, which a Review needs; see
/// os::enterUserNamespace(). What it reads there may take some memory only. For programs without threads;
/// others run `revet diff --json`.
[[nodiscard]] Result<void> enterReview();

/// Notes what a direct session left, whatever modes it has; after enterReview().
[[nodiscard]] Result<void> sealUndo(const std::string& session);

/// What a session changed, ready to be looked at.
class Review
{
public:
    struct Root
    {
        std::string path; ///< absolute: the project, or the repository that it is a work tree of
        std::vector<workspace::ReviewItem> items;
    };

    /// Reads all of it; a session that still runs is seen as it is now.
    [[nodiscard]] static Result<Review> open(const Engine& engine, const SessionInfo& session);

    /// The project first.
    [[nodiscard]] const std::vector<Root>& roots() const { return m_roots; }
    /// Of an item of that root.
    [[nodiscard]] Result<workspace::TextDiff> diff(std::size_t root, const workspace::Change& change);

private:
    std::vector<Root> m_roots;
    std::vector<session::ReviewRoot> m_sources;
};

} // namespace revet::api
