// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/api/engine.h"

#include <optional>
#include <string>
#include <unordered_map>

namespace revet::cli {

/// Writes events, one a line, for people or as JSON. Remembers the processes it has looked up. One thread.
class EventPrinter
{
public:
    enum class Form : std::uint8_t { Text, Json };
    EventPrinter(journal::JournalReader& reader, SessionId session, Form form);

    [[nodiscard]] Result<void> print(const Event& event);

private:
    [[nodiscard]] Result<const ProcessRecord*> processOf(const Event& event);
    [[nodiscard]] std::string toText(const Event& event, const ProcessRecord* process) const;

    journal::JournalReader& m_reader;
    SessionId m_session;
    Form m_form;
    std::size_t m_columns;
    bool m_isColoured;
    std::unordered_map<ProcessNumber, std::optional<ProcessRecord>> m_processes;
};

} // namespace revet::cli
