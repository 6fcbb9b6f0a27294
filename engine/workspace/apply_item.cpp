// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/domain/store_name.h"
#include "engine/workspace/apply.h"

#include <algorithm>

namespace revet::workspace {

namespace {

bool isFileLike(workspace::EntryType type)
{
    return type == workspace::EntryType::Absent || type == workspace::EntryType::File
        || type == workspace::EntryType::Directory || type == workspace::EntryType::Link;
}

bool isMisleading(Oddity oddity)
{
    return oddity == Oddity::LeavingLink || oddity == Oddity::ControlCharacter
        || oddity == Oddity::InvisibleCharacter || oddity == Oddity::NotUtf8
        || oddity == Oddity::CaseCollision || oddity == Oddity::TooDeep;
}

/// Of git's own files the host keeps its own: commits cross as commits. What makes git run something, or may
/// do so, is a matter for a person; harmless configuration crosses as it is.
Hold holdInRepository(const ReviewItem& item)
{
    const std::string& path = item.change.path;
    const std::string inside
        = path.substr(std::min(path.size(), item.repository.empty() ? 0 : item.repository.size() + 1));
    switch (policy::classifyGitEntry(inside)) {
    case policy::GitEntry::Protected:
        return item.runLater.isHeld() ? Hold::Pinned : Hold::None;
    case policy::GitEntry::Config:
        return !item.change.after.exists() ? Hold::Repository
            : item.runLater.isHeld()       ? Hold::Pinned
                                           : Hold::None;
    case policy::GitEntry::Ordinary:
    case policy::GitEntry::DirectoryOnly:
    case policy::GitEntry::CommonDir:
    case policy::GitEntry::Alternates:
        break;
    }
    return Hold::Repository;
}

} // namespace

ApplyItem toApplyItem(ReviewItem item, bool isNewRepository)
{
    ApplyItem result{{}, Hold::None, {}};
    const auto odd = std::ranges::find_if(item.oddities, isMisleading);
    if (isInStore(item.change.path) || isInStore(item.change.from)) {
        result.hold = Hold::Store;
    } else if (item.change.path == kRootPath) {
        result.hold = Hold::Root;
    } else if (!isFileLike(item.change.after.type)) {
        result.hold = Hold::Impossible;
    } else if (item.isInRepository && !isNewRepository) {
        result.hold = holdInRepository(item);
    } else if (item.change.isAttributesOnly()) {
        result.hold = Hold::Attributes;
    } else if (item.runLater.isHeld()) {
        const bool isPinned = item.runLater.cls == policy::RunLaterClass::Pinned;
        result.hold = isPinned ? Hold::Pinned : Hold::RunsCode;
    } else if (odd != item.oddities.end()) {
        result.hold = Hold::Odd;
        result.why = toString(*odd);
    }
    if (result.hold == Hold::Pinned || result.hold == Hold::RunsCode) {
        result.why = std::move(item.runLater.entry);
        for (const std::string& key : item.runLater.keys) {
            result.why += ' ' + key;
        }
    }
    result.change = std::move(item.change);
    return result;
}

} // namespace revet::workspace
