// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/journal/database.h"
#include "engine/journal/journal_reader.h"
#include "engine/journal/text_table.h"

#include <vector>

namespace revet::journal {

[[nodiscard]] Result<std::vector<Bucket>> readBuckets(Database& database, WallTime sessionStart);
[[nodiscard]] Result<std::vector<FileSummary>> summarizeFiles(Database& database, TextTable& texts);
[[nodiscard]] Result<std::vector<DestinationSummary>> summarizeDestinations(Database& database,
                                                                            TextTable& texts);

} // namespace revet::journal
