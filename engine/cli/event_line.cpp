// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/event_line.h"

#include "engine/cli/message.h"
#include "engine/cli/readable.h"
#include "engine/cli/session_argument.h"
#include "engine/cli/terminal.h"
#include "engine/domain/display_escape.h"

#include <cstring>

namespace revet::cli {

namespace {

/// Processes are few against events, but a hostile box can make many.
constexpr std::size_t kMaximumRemembered = 65536;
constexpr std::size_t kNarrowestTarget = 20;

std::string padded(std::string_view text, std::size_t width)
{
    std::string result(text);
    result.resize(std::max(width, result.size()), ' ');
    return result;
}

std::string_view colourOf(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Denied:
    case Verdict::Failed:
        return "\x1b[31m";
    case Verdict::Withheld:
    case Verdict::Asked:
        return "\x1b[33m";
    case Verdict::Contained:
        return "\x1b[36m";
    case Verdict::Permitted:
    case Verdict::Approved:
        return "";
    }
    return "";
}

std::string describe(const Event& event)
{
    std::string text = displayEscape(event.target);
    if (!event.other.empty()) {
        const bool isExchange = event.kind == ActionKind::Rename && (event.detail & kExchange) != 0;
        text += (isExchange ? " <-> " : " -> ") + displayEscape(event.other);
    }
    if (event.kind == ActionKind::Exit) {
        text += event.detail == kUnknownStatus ? "status not known"
                                               : describeStatus(static_cast<std::int32_t>(event.detail));
    }
    if (event.errnoValue != 0) {
        const char* const name = ::strerrorname_np(event.errnoValue);
        text += ": " + (name == nullptr ? std::to_string(event.errnoValue) : std::string(name));
    }
    return text;
}

} // namespace

EventPrinter::EventPrinter(journal::JournalReader& reader, SessionId session, Form form)
    : m_reader(reader)
    , m_session(std::move(session))
    , m_form(form)
    , m_columns(outputColumns())
    , m_isColoured(canColour())
{
}

Result<const ProcessRecord*> EventPrinter::processOf(const Event& event)
{
    if (event.process.isNone()) {
        return nullptr;
    }
    auto known = m_processes.find(event.process);
    if (known == m_processes.end()) {
        REVET_ASSIGN_OR_RETURN(std::optional<ProcessRecord> record, m_reader.process(event.process));
        if (m_processes.size() >= kMaximumRemembered) {
            m_processes.clear();
        }
        known = m_processes.emplace(event.process, std::move(record)).first;
    }
    return known->second ? &*known->second : nullptr;
}

std::string EventPrinter::toText(const Event& event, const ProcessRecord* process) const
{
    const std::string head = timeOfDay(event.time) + "  ";
    const std::string verdict = padded(toString(event.verdict), 9);
    const std::string kind = "  " + padded(toString(event.kind), 10) + "  ";
    std::string tail;
    if (event.count > 1) {
        tail += "  x" + std::to_string(event.count);
    }
    if (!event.rule.empty()) {
        const std::string rule = displayEscape(event.rule); // a pipe gets all of it
        tail += "  (" + (m_columns == 0 ? rule : elideMiddle(rule, 40)) + ')';
    }
    if (process != nullptr) {
        tail += "  [" + elideMiddle(displayEscape(lastPart(process->exe)), 20) + ' '
            + std::to_string(process->pid) + ']';
    }
    std::string target = describe(event);
    if (m_columns != 0) {
        const std::size_t used
            = displayColumns(head) + displayColumns(verdict) + displayColumns(kind) + displayColumns(tail);
        target = elideMiddle(target, std::max(m_columns - std::min(m_columns, used), kNarrowestTarget));
    }
    const std::string_view colour = m_isColoured ? colourOf(event.verdict) : "";
    return head + std::string(colour) + verdict + (colour.empty() ? "" : "\x1b[0m") + kind + target + tail;
}

Result<void> EventPrinter::print(const Event& event)
{
    REVET_ASSIGN_OR_RETURN(const ProcessRecord* const process, processOf(event));
    if (m_form == Form::Json) {
        printJson(journal::toJson(event, process, m_session));
    } else {
        cli::print(toText(event, process) + '\n');
    }
    return {};
}

} // namespace revet::cli
