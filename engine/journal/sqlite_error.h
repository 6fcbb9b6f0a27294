// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/error.h"

#include <string>

struct sqlite3;

namespace revet::journal {

/// The Error for a status that SQLite has just returned. `database` may be null.
[[nodiscard]] Error sqliteError(sqlite3* database, int status, std::string operation);

} // namespace revet::journal
