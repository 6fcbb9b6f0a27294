// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/diff.h"
#include "engine/cli/message.h"
#include "engine/cli/terminal.h"
#include "engine/cli/text_table.h"
#include "engine/domain/display_escape.h"

namespace revet::cli {

namespace {

using workspace::Change;
using workspace::EntryType;
using workspace::ReviewItem;

struct Sum
{
    std::size_t files = 0;
    std::size_t held = 0;
    std::uint64_t added = 0;
    std::uint64_t removed = 0;
};

char letterOf(const Change& change)
{
    switch (change.kind) {
    case Change::Kind::Added:
        return 'A';
    case Change::Kind::Modified:
        return change.before.type == change.after.type ? 'M' : 'T';
    case Change::Kind::Deleted:
        return 'D';
    case Change::Kind::Renamed:
        return 'R';
    }
    return '?';
}

std::string pathText(const Change& change)
{
    const bool isDirectory
        = (change.after.exists() ? change.after : change.before).type == EntryType::Directory;
    std::string text = change.from.empty() ? "" : displayEscape(change.from) + " -> ";
    text += displayEscape(change.path) + (isDirectory ? "/" : "");
    return change.after.type == EntryType::Link ? text + " -> " + displayEscape(change.after.target) : text;
}

std::string notesOf(const ReviewItem& item)
{
    const Change& change = item.change;
    std::string text = runLaterText(item.runLater);
    if (item.runLater.isHeld()) {
        text.insert(0, "held: ");
    }
    const auto add
        = [&text](const std::string& note) { text += (text.empty() || note.empty() ? "" : "; ") + note; };
    add(odditiesText(item.oddities));
    if (change.before.type == change.after.type && change.before.mode != change.after.mode
        && change.after.type != EntryType::Link) {
        add("mode " + modeText(change.before) + " to " + modeText(change.after));
    }
    add(change.isAttributesChanged ? kOtherAttributes : "");
    return text;
}

struct Counts
{
    std::string added;
    std::string removed;
    std::string why = {}; ///< they are not known
};

Counts countLines(api::Review& review, std::size_t root, const Change& change, Sum& sum)
{
    if (!change.isContentChanged) {
        return {};
    }
    const auto diff = review.diff(root, change);
    if (!diff) {
        return {"?", "?", unreadText(diff.error())};
    }
    if (diff->isBinary || diff->isTooLarge) {
        return {diff->isBinary ? "binary" : "large", std::to_string(change.after.size) + " B"};
    }
    sum.added += diff->added;
    sum.removed += diff->removed;
    return {diff->added == 0 ? "" : '+' + std::to_string(diff->added),
            diff->removed == 0 ? "" : '-' + std::to_string(diff->removed)};
}

std::string describe(const Sum& sum)
{
    std::string text = std::to_string(sum.files) + (sum.files == 1 ? " file" : " files") + " changed, "
        + std::to_string(sum.added) + " lines added, " + std::to_string(sum.removed) + " removed";
    return sum.held == 0 ? text : text + "; " + std::to_string(sum.held) + " held";
}

} // namespace

Result<void> printDiffStat(api::Review& review, const std::vector<ShownRoot>& roots)
{
    constexpr auto kRight = TextTable::Align::Right;
    TextTable table({{""},
                     {"ADDED", kRight},
                     {"REMOVED", kRight},
                     {"PATH", TextTable::Align::Left, true},
                     {"NOTE", TextTable::Align::Left, true}});
    Sum sum;
    for (const ShownRoot& root : roots) {
        for (const RepositorySum& repository : sumUpRepositories(root)) {
            const std::string path = (root.number == 0 ? "" : *root.path + '/') + repository.repository;
            table.addRow({"G", "", "", displayEscape(path), repository.text});
        }
        for (std::size_t i = 0; i < root.items.size(); ++i) {
            const ReviewItem& item = *root.items[i];
            if (isSummedUp(item) || !isWorthShowing(root, i)) {
                continue;
            }
            ++sum.files;
            sum.held += item.runLater.isHeld() ? 1U : 0U;
            Counts counts = countLines(review, root.number, item.change, sum);
            std::string notes = notesOf(item);
            notes += (notes.empty() || counts.why.empty() ? "" : "; ") + counts.why;
            const std::string place = root.number == 0 ? "" : displayEscape(*root.path + '/');
            table.addRow({std::string(1, letterOf(item.change)), std::move(counts.added),
                          std::move(counts.removed), place + pathText(item.change), std::move(notes)});
        }
    }
    print(table.toText(outputColumns()) + describe(sum) + '\n');
    return {};
}

} // namespace revet::cli
