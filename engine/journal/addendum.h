// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/domain/event.h"
#include "engine/domain/session_info.h"

#include <filesystem>
#include <vector>

namespace revet::journal {

/// Adds what happened to a session after its end, and its new state, to its journal, as one more batch of the
/// hash chain. Their numbers follow; what is there stays as it is.
[[nodiscard]] Result<void> addToJournal(const std::filesystem::path& file, std::vector<Event> events,
                                        const SessionInfo& session);

} // namespace revet::journal
