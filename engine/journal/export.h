// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/journal/journal_reader.h"

#include <functional>
#include <string_view>

namespace revet::journal {

enum class ExportFormat { JsonLines, Markdown, Html };

[[nodiscard]] Result<ExportFormat> parseExportFormat(std::string_view text);

/// Takes the next piece of the export; a failure ends it.
using ExportSink = std::function<Result<void>(std::string_view)>;

/// Writes the whole record. JSON has one event a line; Markdown and HTML have a summary, files, destinations
/// and the timeline, every byte from the box escaped, no scripts and nothing loaded from elsewhere.
[[nodiscard]] Result<void> exportJournal(JournalReader& reader, ExportFormat format, const ExportSink& sink);

} // namespace revet::journal
