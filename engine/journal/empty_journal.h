// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string_view>

namespace revet::journal {

/// The file of a journal without rows, as SQLite made it when Revet was built: to make its tables takes
/// longer than to write them down. Lives for ever.
[[nodiscard]] std::string_view emptyJournal();

} // namespace revet::journal
