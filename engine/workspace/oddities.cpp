// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/oddities.h"

#include "engine/policy/path_pattern.h"
#include "engine/workspace/attributes.h"
#include "engine/workspace/name_text.h"
#include "engine/workspace/overlay_marks.h"

#include <algorithm>
#include <array>
#include <string>

#include <sys/stat.h>

namespace revet::workspace {

namespace {

constexpr mode_t kExecutable = S_IXUSR | S_IXGRP | S_IXOTH;

void addOdditiesOfText(const std::string& text, std::vector<Oddity>& found)
{
    const TextTraits traits = traitsOf(text);
    if (traits.hasControl) {
        found.push_back(Oddity::ControlCharacter);
    }
    if (traits.hasInvisible) {
        found.push_back(Oddity::InvisibleCharacter);
    }
    if (!traits.isUtf8) {
        found.push_back(Oddity::NotUtf8);
    }
}

} // namespace

std::string_view toString(Oddity oddity)
{
    constexpr std::array<std::string_view, 14> kNames = {"setuid",
                                                         "setgid",
                                                         "device",
                                                         "fifo",
                                                         "socket",
                                                         "link that could leave the tree",
                                                         "control characters",
                                                         "invisible characters",
                                                         "not UTF-8",
                                                         "differs by case only",
                                                         "new executable",
                                                         "hard link",
                                                         "too deep to look into",
                                                         "extended attributes"};
    return kNames.at(static_cast<std::size_t>(oddity));
}

bool isTooDeep(std::string_view directory)
{
    constexpr std::size_t kLongest = 3000; // bytes: leaves room for a name, and for what leads to the tree
    constexpr std::ptrdiff_t kDeepest = 128;
    return directory.size() >= kLongest || std::ranges::count(directory, '/') >= kDeepest;
}

bool couldLeave(std::string_view path, std::string_view target)
{
    if (target.empty() || target.front() == '/') {
        return true;
    }
    std::size_t above = policy::pathComponents(path).size() - 1;
    bool isAfterName = false;
    for (const std::string_view component : policy::pathComponents(target)) {
        if (component != "..") {
            isAfterName = true;
        } else if (isAfterName || above == 0) {
            return true;
        } else {
            --above;
        }
    }
    return false;
}

std::vector<Oddity> odditiesOf(const Change& change)
{
    std::vector<Oddity> found;
    const Entry& after = change.after;
    if (!after.exists()) {
        return found;
    }
    switch (after.type) {
    case EntryType::Device:
        found.push_back(Oddity::Device);
        break;
    case EntryType::Fifo:
        found.push_back(Oddity::Fifo);
        break;
    case EntryType::Socket:
        found.push_back(Oddity::Socket);
        break;
    case EntryType::Link:
        if (couldLeave(change.path, after.target)) {
            found.push_back(Oddity::LeavingLink);
        }
        break;
    case EntryType::File:
        if ((after.mode & kExecutable) != 0
            && (change.before.type != EntryType::File || (change.before.mode & kExecutable) == 0)) {
            found.push_back(Oddity::NewExecutable);
        }
        if (after.links > 1) {
            found.push_back(Oddity::HardLink);
        }
        break;
    case EntryType::Directory:
        if (isTooDeep(change.path)) {
            found.push_back(Oddity::TooDeep);
        }
        break;
    case EntryType::Absent:
        break;
    }
    if (after.type != EntryType::Link && (after.mode & S_ISUID) != 0) {
        found.push_back(Oddity::SetUserId);
    }
    // A directory passes its group on so; that is how shared projects are set up.
    if (after.type == EntryType::File && (after.mode & S_ISGID) != 0) {
        found.push_back(Oddity::SetGroupId);
    }
    addOdditiesOfText(change.path + after.target, found);
    return found;
}

bool hasAttributes(ChangeSource& source, const Change& change)
{
    if (change.after.type != EntryType::File) {
        return false;
    }
    const auto file = source.openAfter(change);
    if (!file) {
        return false;
    }
    const auto names = attributeNames(file->get());
    return names && std::ranges::any_of(*names, [](const std::string& name) {
               return name != "security.selinux" && !isOverlayMark(name); // SELinux gives each file one
           });
}

} // namespace revet::workspace
