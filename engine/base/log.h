// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace revet {

enum class LogLevel : std::uint8_t { Debug, Info, Warning, Error };

/// One line in the log under a room's name ("supervisor"). Nothing until setUpLog() gave logs a place. Never
/// log file content, environment values or anything else that may be a secret. Thread-safe.
/// (spdlog stays behind this line: its headers take longer to compile than any file of ours.)
void log(LogLevel level, std::string_view room, std::string_view message);

/// Sends the log to a rotating file (two of 1 MiB at most). Level from REVET_LOG (default "info").
void setUpLog(const std::filesystem::path& file);

} // namespace revet
