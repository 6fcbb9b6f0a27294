// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/journal/export.h"

#include "engine/journal/event_json.h"
#include "engine/journal/report.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace revet::journal {

namespace {

constexpr std::size_t kPage = 1000;

/// Visits every event with its process, page by page.
Result<void> forEachEvent(JournalReader& reader,
                          const std::function<Result<void>(const Event&, const ProcessRecord*)>& visit)
{
    REVET_ASSIGN_OR_RETURN(const std::vector<ProcessRecord> processes, reader.processes());
    EventSeq after;
    while (true) {
        REVET_ASSIGN_OR_RETURN(const std::vector<Event> page, reader.eventsAfter(after, kPage));
        for (const Event& event : page) {
            const auto found = std::lower_bound(
                processes.begin(), processes.end(), event.process,
                [](const ProcessRecord& process, ProcessNumber number) { return process.number < number; });
            const bool known = found != processes.end() && found->number == event.process;
            REVET_RETURN_IF_ERROR(visit(event, known ? &*found : nullptr));
        }
        if (page.empty()) {
            return {};
        }
        after = page.back().seq;
    }
}

Result<void> exportReport(JournalReader& reader, ReportWriter& report)
{
    REVET_ASSIGN_OR_RETURN(const SessionInfo session, reader.session());
    REVET_ASSIGN_OR_RETURN(const auto counts, reader.countsByVerdict());
    REVET_ASSIGN_OR_RETURN(const Reach reach, reader.farthestReach());
    REVET_RETURN_IF_ERROR(report.begin("Session " + session.id.text()));
    REVET_RETURN_IF_ERROR(report.beginTable("Summary", {"what", "value"}));
    REVET_RETURN_IF_ERROR(report.row({"label", session.label}));
    REVET_RETURN_IF_ERROR(report.row({"project", session.project}));
    REVET_RETURN_IF_ERROR(report.row({"tier", std::string(toString(session.tier))}));
    REVET_RETURN_IF_ERROR(report.row({"command", commandLine(session.command)}));
    REVET_RETURN_IF_ERROR(report.row({"started", toRfc3339(session.started)}));
    REVET_RETURN_IF_ERROR(report.row({"ended", session.ended ? toRfc3339(*session.ended) : "not recorded"}));
    REVET_RETURN_IF_ERROR(report.row({"end", session.endReason}));
    REVET_RETURN_IF_ERROR(report.row({"reached", std::string(toString(reach))}));
    for (std::size_t i = 0; i < counts.size(); ++i) {
        REVET_RETURN_IF_ERROR(
            report.row({std::string(toString(static_cast<Verdict>(i))), std::to_string(counts.at(i))}));
    }
    REVET_RETURN_IF_ERROR(report.endTable());

    REVET_ASSIGN_OR_RETURN(const auto files, reader.files());
    REVET_RETURN_IF_ERROR(report.beginTable(
        "Files", {"path", "reads", "writes", "created", "deleted", "refused", "last verdict", "reach"}));
    for (const FileSummary& file : files) {
        REVET_RETURN_IF_ERROR(report.row(
            {file.path, std::to_string(file.reads), std::to_string(file.writes), std::to_string(file.created),
             std::to_string(file.deleted), std::to_string(file.refused),
             std::string(toString(file.lastVerdict)), std::string(toString(file.reach))}));
    }
    REVET_RETURN_IF_ERROR(report.endTable());

    REVET_ASSIGN_OR_RETURN(const auto destinations, reader.destinations());
    REVET_RETURN_IF_ERROR(
        report.beginTable("Destinations", {"kind", "target", "permitted", "refused", "last verdict"}));
    for (const DestinationSummary& destination : destinations) {
        REVET_RETURN_IF_ERROR(
            report.row({std::string(toString(destination.kind)), destination.target,
                        std::to_string(destination.permitted), std::to_string(destination.refused),
                        std::string(toString(destination.lastVerdict))}));
    }
    REVET_RETURN_IF_ERROR(report.endTable());

    REVET_RETURN_IF_ERROR(report.beginTable(
        "Timeline", {"seq", "time", "kind", "verdict", "target", "other", "process", "count", "rule"}));
    REVET_RETURN_IF_ERROR(forEachEvent(reader, [&](const Event& event, const ProcessRecord* process) {
        return report.row({std::to_string(event.seq.value()), toRfc3339(event.time),
                           std::string(toString(event.kind)), std::string(toString(event.verdict)),
                           event.target, event.other,
                           process == nullptr ? std::string() : commandLine(process->argv),
                           std::to_string(event.count), event.rule});
    }));
    REVET_RETURN_IF_ERROR(report.endTable());
    return report.end();
}

} // namespace

Result<ExportFormat> parseExportFormat(std::string_view text)
{
    if (text == "jsonl") {
        return ExportFormat::JsonLines;
    }
    if (text == "markdown") {
        return ExportFormat::Markdown;
    }
    if (text == "html") {
        return ExportFormat::Html;
    }
    return fail(ErrorCode::InvalidArgument, "read the format '" + std::string(text) + "'",
                "the formats are jsonl, markdown and html");
}

Result<void> exportJournal(JournalReader& reader, ExportFormat format, const ExportSink& sink)
{
    if (format == ExportFormat::JsonLines) {
        REVET_ASSIGN_OR_RETURN(const SessionInfo session, reader.session());
        return forEachEvent(reader, [&](const Event& event, const ProcessRecord* process) {
            return sink(toJsonLine(toJson(event, process, session.id)) + "\n");
        });
    }
    if (format == ExportFormat::Markdown) {
        MarkdownReport report(sink);
        return exportReport(reader, report);
    }
    HtmlReport report(sink);
    return exportReport(reader, report);
}

} // namespace revet::journal
