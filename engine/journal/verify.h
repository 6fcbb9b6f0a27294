// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/journal/hash_chain.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace revet::journal {

struct VerifyReport
{
    bool isIntact = false;
    std::uint64_t batches = 0; ///< that were found intact, from the first
    std::uint64_t events = 0; ///< in those
    /// The first bad batch; 0 where the journal is intact or the damage belongs to no batch.
    std::uint64_t badBatch = 0;
    std::uint64_t firstBadEvent = 0; ///< the events of the bad batch, 0 when it has none
    std::uint64_t lastBadEvent = 0;
    std::string problem; ///< what is wrong, in a few words; empty when intact
    bool isSealed = false; ///< the session closed it; false while it runs or when its end was cut off
    ChainHash head = {}; ///< of the last intact batch
};

/// Recomputes the hash chain over every row, recounts the timeline's buckets, and has SQLite check pages and
/// indexes. Fails only where the file cannot be read at all; damage is reported, with the first bad batch.
[[nodiscard]] Result<VerifyReport> verify(const std::filesystem::path& file);

} // namespace revet::journal
