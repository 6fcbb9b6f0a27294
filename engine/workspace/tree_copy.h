// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <string>

namespace revet::workspace {

/// An entry of an open directory. Borrowed.
struct EntryName
{
    int directory = -1;
    const std::string& name;
};

/// Copies a file, a link, a fifo or a whole directory with modes, times and what attributes can be set, to
/// where nothing is; names of one file become files of their own. What else there is fails.
[[nodiscard]] Result<void> copyTree(const EntryName& from, const EntryName& to);
/// Removes what is there, whatever it is.
[[nodiscard]] Result<void> removeEntry(const EntryName& entry);

} // namespace revet::workspace
