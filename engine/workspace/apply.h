// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/workspace/change.h"
#include "engine/workspace/operation.h"
#include "engine/workspace/review.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace revet::workspace {

/// Why a change is not taken over by itself.
enum class Hold : std::uint8_t {
    None,
    Pinned, ///< the host would run it later
    RunsCode, ///< what changed in a checked file runs code
    Odd, ///< a name or a link that is not what it seems
    Repository, ///< git's own files, which cross as commits
    Impossible, ///< no file, directory or link
    HoldsHeld, ///< a directory that goes away, but for something that is held
    Unfit, ///< commits that git would not take, or a name that is no branch's
    Attributes, ///< only extended attributes differ, which do not cross
    Root, ///< the project's own directory, of which the host's mode stays
    Store, ///< it is called like the directory of what undo keeps, which nobody but Revet makes
};
[[nodiscard]] std::string_view toString(Hold hold);
/// Whether a person's yes is enough.
[[nodiscard]] constexpr bool canBeReleased(Hold hold)
{
    return hold == Hold::Pinned || hold == Hold::RunsCode || hold == Hold::Odd;
}

/// What stays as the host has it, and leaves nothing to be decided.
[[nodiscard]] constexpr bool neverCrosses(Hold hold)
{
    return hold == Hold::Repository || hold == Hold::Attributes || hold == Hold::Root;
}

struct ApplyItem
{
    Change change;
    Hold hold = Hold::None;
    std::string why; ///< the table's entry, the keys; bytes of the box
};

/// The strictest of what is to be said about it. `isNewRepository`: it is of a repository that the host does
/// not have, so that there is nothing of the host's to be kept.
[[nodiscard]] ApplyItem toApplyItem(ReviewItem item, bool isNewRepository);

/// What a session saw of the host's files before it changed them.
class Bases
{
public:
    Bases() = default;
    Bases(const Bases&) = delete;
    Bases& operator=(const Bases&) = delete;
    Bases(Bases&&) = delete;
    Bases& operator=(Bases&&) = delete;
    virtual ~Bases() = default;
    /// Whether what lies at `path` now is what the session saw there.
    [[nodiscard]] virtual bool isBase(const std::string& path, const Entry& present) const = 0;
};

/// What a person wants of a session's changes.
struct ApplyChoice
{
    std::vector<std::string> paths; ///< and what is below them; none: all
    bool releasesHeld = false; ///< the yes for what canBeReleased()
    /// Instead of the session's content: chosen hunks. The person has seen what is there now.
    std::map<std::string, std::string> contents;
    bool merges = false; ///< of text that the host changed since its base; see mergeChanged()
    std::map<std::string, std::string> merged; ///< content that is of both sides
};

struct HeldChange
{
    std::string path;
    Hold hold = Hold::None;
    std::string why;
};

/// What is to be done, and what is left.
struct ApplyPlan
{
    std::vector<Operation> operations;
    std::vector<HeldChange> held;
};

/// Merges what changed on both sides, and nothing that needs a person to choose. Texts by path; what the host
/// began with is what its branch had when the session `began` (nanoseconds since 1970).
[[nodiscard]] std::map<std::string, std::string> mergeChanged(ChangeSource& source,
                                                              const std::vector<Change>& changes, int tree,
                                                              const Bases& bases, std::int64_t began);

/// `tree`: the project's root. The source must outlive the operations. What the host changed since its base
/// becomes a conflict of the transaction that gets them, unless it is as wanted by now.
[[nodiscard]] Result<ApplyPlan> planApply(ChangeSource& source, const std::vector<ApplyItem>& items, int tree,
                                          const Bases& bases, const ApplyChoice& choice);

} // namespace revet::workspace
