// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/bytes.h"
#include "engine/workspace/entry.h"

namespace revet::workspace {

// How an entry is written in manifests and in records of transactions.

void put(ByteWriter& out, const Entry& entry);
/// Any bytes: Malformed where they are none.
[[nodiscard]] Result<Entry> readEntry(ByteReader& in);

} // namespace revet::workspace
