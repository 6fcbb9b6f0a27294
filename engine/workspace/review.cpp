// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/review.h"

#include "engine/workspace/renames.h"

#include <utility>

namespace revet::workspace {

namespace {

/// What leaves a repository's own files, or comes into them, is two changes: each half crosses by rules of
/// its own, and the host keeps its own.
void splitAtRepositories(std::vector<Change>& changes, const RunLaterJudge& judge)
{
    const auto gitdirOf = [&judge](const std::string& path) {
        const auto place = judge.repositoryOf(path);
        return place ? std::optional(place->gitdir) : std::nullopt;
    };
    for (std::size_t i = 0, count = changes.size(); i < count; ++i) {
        if (changes[i].kind == Change::Kind::Renamed
            && gitdirOf(changes[i].from) != gitdirOf(changes[i].path)) {
            RenameHalves halves = halvesOf(changes[i]);
            changes[i] = std::move(halves.added);
            changes.push_back(std::move(halves.deleted));
        }
    }
}

} // namespace

Result<std::vector<ReviewItem>> review(ChangeSource& source, int base, const policy::RunLaterTable& table,
                                       Renames renames)
{
    REVET_ASSIGN_OR_RETURN(std::vector<Change> changes, source.changes());
    const RunLaterJudge judge(table, source, gitdirsByShape(changes, source, base));
    if (renames == Renames::Paired) {
        pairRenames(changes, source);
        splitAtRepositories(changes, judge);
        sortByPath(changes);
    }
    REVET_ASSIGN_OR_RETURN(const std::vector<bool> collides, caseCollisions(changes, base));
    std::vector<ReviewItem> items;
    items.reserve(changes.size());
    for (std::size_t i = 0; i < changes.size(); ++i) {
        ReviewItem item;
        item.change = std::move(changes[i]);
        item.runLater = judge.judge(item.change);
        item.oddities = odditiesOf(item.change);
        if (collides[i]) {
            item.oddities.push_back(Oddity::CaseCollision);
        }
        if (hasAttributes(source, item.change)) {
            item.oddities.push_back(Oddity::Attribute);
        }
        if (auto place = judge.repositoryOf(item.change.path)) {
            item.isInRepository = true;
            item.repository = std::move(place->gitdir);
        }
        items.push_back(std::move(item));
    }
    return items;
}

ChangeCount countChanges(const std::vector<Change>& changes, const policy::RunLaterTable& table)
{
    ChangeCount count;
    for (const Change& change : changes) {
        policy::GitSplit split;
        const bool isDirectory
            = (change.after.exists() ? change.after : change.before).type == EntryType::Directory;
        if (policy::isBelowGitdir(change.path, &split)) {
            count.hasRepositoryChanges = true;
        } else if (isDirectory) {
            ++count.directories;
        } else {
            ++count.files;
            const auto match = table.match(change.path);
            count.held += match && match->cls == policy::RunLaterClass::Pinned ? 1U : 0U;
        }
    }
    return count;
}

} // namespace revet::workspace
