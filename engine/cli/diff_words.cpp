// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/diff.h"
#include "engine/domain/display_escape.h"

#include <array>
#include <cstdio>
#include <map>

namespace revet::cli {

namespace {

using workspace::Change;
using workspace::EntryType;
using workspace::ReviewItem;

constexpr std::size_t kMostNamed = 5;

std::string insideOf(const ReviewItem& item)
{
    const std::size_t prefix = item.repository.empty() ? 0 : item.repository.size() + 1;
    return item.change.path.substr(std::min(prefix, item.change.path.size()));
}

bool isReference(const std::string& inside)
{
    return inside.starts_with("refs/") || inside == "HEAD" || inside == "packed-refs";
}

} // namespace

std::string modeText(const workspace::Entry& entry)
{
    std::array<char, 8> mode{};
    static_cast<void>(std::snprintf(mode.data(), mode.size(), "%04o", entry.mode & 07777U));
    return mode.data();
}

std::string runLaterText(const workspace::RunLaterFinding& finding)
{
    if (!finding.cls || (*finding.cls == policy::RunLaterClass::Checked && !finding.isHeld())) {
        return {};
    }
    std::string text = std::string(toString(*finding.cls)) + ": " + displayEscape(finding.entry);
    for (std::size_t i = 0; i < finding.keys.size(); ++i) {
        text += (i == 0 ? ": " : ", ") + displayEscape(finding.keys[i]);
    }
    return text;
}

std::string odditiesText(const std::vector<workspace::Oddity>& oddities)
{
    std::string text;
    for (const workspace::Oddity oddity : oddities) {
        text += (text.empty() ? "" : ", ") + std::string(toString(oddity));
    }
    return text;
}

std::string unreadText(const Error& error)
{
    return displayEscape(error.code == ErrorCode::Unavailable ? error.context : toString(error));
}

bool isSummedUp(const ReviewItem& item)
{
    return item.isInRepository && !item.runLater.cls && item.oddities.empty();
}

std::vector<RepositorySum> sumUpRepositories(const ShownRoot& root)
{
    std::map<std::string, std::vector<const ReviewItem*>> repositories;
    for (const ReviewItem* const item : root.items) {
        const bool isDirectory = item->change.after.type == EntryType::Directory
            || item->change.before.type == EntryType::Directory;
        if (isSummedUp(*item) && !isDirectory) {
            repositories[item->repository].push_back(item);
        }
    }
    std::vector<RepositorySum> sums;
    for (const auto& [repository, items] : repositories) {
        std::string text;
        std::size_t named = 0;
        for (const ReviewItem* const item : items) {
            const std::string inside = insideOf(*item);
            if (isReference(inside) && named < kMostNamed) {
                text += (named++ == 0 ? "" : ", ") + displayEscape(inside);
                text += item->change.kind == Change::Kind::Deleted ? " (gone)" : "";
            }
        }
        const std::size_t others = items.size() - named;
        if (others != 0) {
            text += (named == 0 ? "" : " and ") + std::to_string(others)
                + (others == 1 ? " other file" : " other files") + " of git's own";
        }
        sums.push_back({repository, std::move(text)});
    }
    return sums;
}

bool isWorthShowing(const ShownRoot& root, std::size_t item)
{
    const ReviewItem& shown = *root.items[item];
    const Change& change = shown.change;
    const bool isDirectory = change.after.type == EntryType::Directory
        || (!change.after.exists() && change.before.type == EntryType::Directory);
    if (!isDirectory || change.kind == Change::Kind::Modified || !shown.oddities.empty()
        || shown.runLater.isHeld()) {
        return true;
    }
    const std::string below = change.path + '/';
    return item + 1 == root.items.size() || !root.items[item + 1]->change.path.starts_with(below);
}

} // namespace revet::cli
