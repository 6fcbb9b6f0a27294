// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/left_changes.h"

#include "engine/domain/display_escape.h"
#include "engine/workspace/review.h"

namespace revet::session {

namespace {

using workspace::Change;

constexpr std::size_t kColumns = 80;
/// Of how many files the content is looked at, whether it would run code: the person waits for the line.
constexpr std::size_t kMostJudged = 200;

std::string countText(const workspace::ChangeCount& sum)
{
    std::string text;
    if (sum.files != 0) {
        text = std::to_string(sum.files) + (sum.files == 1 ? " file" : " files");
    } else if (sum.directories != 0) {
        text = "directories";
    }
    if (sum.hasRepositoryChanges) {
        text += text.empty() ? "its repository" : " and its repository";
    }
    text += " changed";
    return sum.held == 0 ? text : text + ", " + std::to_string(sum.held) + " of them pinned";
}

/// "package.json (scripts.test)"
std::vector<std::string> whatRunsLater(const std::vector<Change>& changes, workspace::ChangeSource& source,
                                       const policy::RunLaterTable& table)
{
    const workspace::RunLaterJudge judge(table, source, {});
    std::vector<std::string> names;
    std::size_t judged = 0;
    for (const Change& change : changes) {
        const auto match = table.match(change.path);
        if (!match || match->cls == policy::RunLaterClass::Shown || judged++ >= kMostJudged) {
            continue;
        }
        const workspace::RunLaterFinding finding = judge.judge(change);
        if (!finding.isHeld()) {
            continue;
        }
        std::string keys;
        for (const std::string& key : finding.keys) {
            keys += (keys.empty() ? "" : ", ") + key;
        }
        names.push_back(change.path + " (" + (keys.empty() ? finding.entry : keys) + ')');
    }
    return names;
}

} // namespace

std::string listLine(const std::string& label, const std::vector<std::string>& names)
{
    std::string text = label + ": ";
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::size_t left = names.size() - i;
        const std::string more = " and " + std::to_string(left) + " more";
        std::string name = displayEscape(names[i]);
        const std::size_t used = displayColumns(text) + (left > 1 ? more.size() : 0) + 2;
        if (i == 0) {
            name = elideMiddle(name, kColumns - used);
        } else if (used + displayColumns(name) > kColumns) {
            return text + more;
        }
        text += (i == 0 ? "" : ", ") + name;
    }
    return text;
}

Result<LeftChanges> findLeftChanges(const std::vector<std::unique_ptr<workspace::ChangeSource>>& sources,
                                    const policy::RunLaterTable& table, const std::string& heldWord)
{
    workspace::ChangeCount sum;
    std::vector<std::string> changed;
    std::vector<std::string> repositories;
    std::vector<std::string> held;
    LeftChanges left;
    for (const auto& source : sources) {
        REVET_ASSIGN_OR_RETURN(const auto changes, source->changes());
        // A side root is the repository of a linked work tree.
        if (&source != &sources.front()) {
            sum.hasRepositoryChanges = sum.hasRepositoryChanges || !changes.empty();
            continue;
        }
        sum = workspace::countChanges(changes, table);
        for (const Change& change : changes) {
            const bool isGitdir = change.path == ".git" || change.path.ends_with("/.git");
            if (isGitdir && change.kind == Change::Kind::Added) {
                repositories.push_back(change.path);
            }
            const bool isDirectory = (change.after.exists() ? change.after : change.before).type
                == workspace::EntryType::Directory;
            if (change.kind == Change::Kind::Modified && !isDirectory) {
                left.replaced.push_back(change.path);
            }
            policy::GitSplit split;
            if (!isDirectory && !policy::isBelowGitdir(change.path, &split)) {
                changed.push_back(change.path + (change.after.exists() ? "" : " (gone)"));
            }
        }
        held = whatRunsLater(changes, *source, table);
    }
    left.isNothing = sum.files == 0 && sum.directories == 0 && !sum.hasRepositoryChanges;
    left.text = left.isNothing ? "nothing changed" : countText(sum);
    const auto add = [&left](const std::string& label, const std::vector<std::string>& names) {
        if (!names.empty()) {
            left.lines.push_back(listLine(label, names));
        }
    };
    add("changed", changed);
    add(heldWord, held);
    add("new repositories", repositories);
    return left;
}

} // namespace revet::session
