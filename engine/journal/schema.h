// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/journal/database.h"

#include <cstdint>
#include <span>

namespace revet::journal {

/// What a kind of database file looks like. Version n is reached by running the first n migrations; a
/// migration is never changed once it has been released.
struct Schema
{
    std::int32_t applicationId; ///< in the file's header, so that another program's file is recognised
    std::span<const char* const> migrations;
};

[[nodiscard]] const Schema& journalSchema();
[[nodiscard]] const Schema& catalogueSchema();

/// Brings the file to the newest version. Refuses a file that a newer Revet wrote, or another program.
[[nodiscard]] Result<void> migrate(Database& database, const Schema& schema);
/// For readers: the file is of a version that this program reads as it is.
[[nodiscard]] Result<void> checkVersion(Database& database, const Schema& schema);
/// Compares tables and indexes with what the migrations make: a changed schema would hide rows.
[[nodiscard]] Result<void> checkDefinitions(Database& database, const Schema& schema);

} // namespace revet::journal
