// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"
#include "engine/workspace/entry.h"

#include <string>

namespace revet::workspace {

/// A name in an open directory that is ours alone, where things are made before they are moved to their
/// place. All get the wanted mode and time.
struct Slot
{
    int directory = -1;
    std::string name;
};

/// A new file with the content of an open one, holes as holes; `like`, if not -1, is the file that it will
/// replace, whose extended attributes and access list it gets.
[[nodiscard]] Result<Entry> stageFile(const Slot& slot, const UniqueFd& content, const Entry& wanted,
                                      int like);
/// A new directory, writable for now: what it will hold comes later, and its mode and time with that.
[[nodiscard]] Result<Entry> stageDirectory(const Slot& slot, const Entry& wanted);
[[nodiscard]] Result<Entry> stageLink(const Slot& slot, const Entry& wanted);

} // namespace revet::workspace
