// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <spdlog/logger.h>

#include <filesystem>
#include <string>

namespace revet {

/// The logger of one room ("supervisor", "journal"). Silent until setUpLog() gave logs a place.
/// Never log file content, environment values or anything else that may be a secret. Thread-safe.
[[nodiscard]] spdlog::logger& log(const std::string& room);

/// Sends every room's log to a rotating file (two of 1 MiB at most). Level from REVET_LOG (default "info").
void setUpLog(const std::filesystem::path& file);

} // namespace revet
