// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/diff.h"
#include "engine/cli/session_argument.h"

#include <array>

namespace revet::cli {

namespace {

using workspace::Change;
using workspace::Entry;
using workspace::EntryType;
using workspace::ReviewItem;

std::string_view nameOf(Change::Kind kind)
{
    constexpr std::array<std::string_view, 4> kNames = {"added", "modified", "deleted", "renamed"};
    return kNames.at(static_cast<std::size_t>(kind));
}

std::string_view nameOf(EntryType type)
{
    constexpr std::array<std::string_view, 7> kNames
        = {"absent", "file", "directory", "link", "fifo", "socket", "device"};
    return kNames.at(static_cast<std::size_t>(type));
}

nlohmann::json toJson(const Entry& entry)
{
    if (!entry.exists()) {
        return nullptr;
    }
    nlohmann::json object{{"type", nameOf(entry.type)}, {"mode", modeText(entry)}, {"size", entry.size}};
    if (entry.type == EntryType::Link) {
        journal::putBytes(object, "target", entry.target);
    }
    return object;
}

nlohmann::json toJson(const workspace::Hunk& hunk)
{
    nlohmann::json object{{"old_start", hunk.oldStart},
                          {"old_lines", hunk.oldLines},
                          {"new_start", hunk.newStart},
                          {"new_lines", hunk.newLines}};
    std::string text;
    for (const workspace::DiffLine& line : hunk.lines) {
        text += line.origin + line.text;
        text += line.text.ends_with('\n') ? "" : "\n\\ No newline at end of file\n";
    }
    journal::putBytes(object, "text", text);
    return object;
}

void putRunLater(nlohmann::json& object, const workspace::RunLaterFinding& finding)
{
    object["class"] = finding.cls ? nlohmann::json(toString(*finding.cls)) : nlohmann::json();
    object["held"] = finding.isHeld();
    if (finding.cls) {
        journal::putBytes(object, "rule", finding.entry);
    }
    nlohmann::json keys = nlohmann::json::array();
    for (const std::string& key : finding.keys) {
        nlohmann::json text;
        journal::putBytes(text, "key", key);
        keys.push_back(text["key"]);
    }
    object["keys"] = std::move(keys);
}

void putDiff(nlohmann::json& object, const workspace::TextDiff& diff, Hunks hunks)
{
    object["binary"] = diff.isBinary;
    object["large"] = diff.isTooLarge;
    object["added"] = diff.added;
    object["removed"] = diff.removed;
    if (hunks == Hunks::Yes) {
        object["hunks"] = nlohmann::json::array();
        for (const workspace::Hunk& hunk : diff.hunks) {
            object["hunks"].push_back(toJson(hunk));
        }
    }
}

nlohmann::json toJson(const SessionId& session, const std::string& project, const ReviewItem& item)
{
    const Change& change = item.change;
    nlohmann::json object = listingObject(session);
    journal::putBytes(object, "project", project);
    journal::putBytes(object, "path", change.path);
    if (!change.from.empty()) {
        journal::putBytes(object, "from", change.from);
        object["similarity"] = change.similarity;
    }
    object["kind"] = nameOf(change.kind);
    object["before"] = toJson(change.before);
    object["after"] = toJson(change.after);
    object["content"] = change.isContentChanged;
    object["attributes"] = change.isAttributesChanged;
    putRunLater(object, item.runLater);
    object["odd"] = nlohmann::json::array();
    for (const workspace::Oddity oddity : item.oddities) {
        object["odd"].push_back(toString(oddity));
    }
    if (item.isInRepository) {
        journal::putBytes(object, "repository", item.repository);
    }
    return object;
}

} // namespace

Result<void> printDiffJson(const SessionId& session, api::Review& review, const std::vector<ShownRoot>& roots,
                           Hunks hunks)
{
    for (const ShownRoot& root : roots) {
        for (const ReviewItem* const item : root.items) {
            nlohmann::json object = toJson(session, *root.path, *item);
            if (item->change.isContentChanged) {
                if (const auto diff = review.diff(root.number, item->change)) {
                    putDiff(object, *diff, hunks);
                } else {
                    object["unread"] = unreadText(diff.error());
                }
            }
            printJson(object);
        }
    }
    return {};
}

} // namespace revet::cli
