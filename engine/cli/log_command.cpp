// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/command.h"
#include "engine/cli/event_line.h"
#include "engine/cli/message.h"
#include "engine/cli/session_argument.h"
#include "engine/domain/display_escape.h"

#include <chrono>

namespace revet::cli {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kPageEvents = 2000;
/// A session that is too busy to tell of its progress is looked at all the same.
constexpr auto kLongestWait = 1s;

struct LogOptions
{
    SessionArgument session;
    bool isFollowing = false;
    bool isVerifying = false;
    std::vector<std::string> kinds;
    std::vector<std::string> verdicts;
    std::string path;
    std::string since;
};

/// An RFC 3339 time, or how long ago: 30m, 7d.
Result<WallTime> parseSince(const std::string& text)
{
    if (const Result<std::chrono::seconds> ago = parseDuration(text)) {
        return SystemClock().now() - *ago;
    }
    Result<WallTime> time = parseRfc3339(text);
    if (!time) {
        return fail(ErrorCode::InvalidArgument, "read --since " + text,
                    "write an RFC 3339 time such as 2026-01-02T03:04:05Z, or 30m, 2h, 7d for so long ago");
    }
    return time;
}

Result<journal::EventFilter> toFilter(const LogOptions& options)
{
    journal::EventFilter filter;
    for (const std::string& kind : options.kinds) {
        REVET_ASSIGN_OR_RETURN(const ActionKind parsed, parseActionKind(kind));
        filter.kinds.push_back(parsed);
    }
    for (const std::string& verdict : options.verdicts) {
        REVET_ASSIGN_OR_RETURN(const Verdict parsed, parseVerdict(verdict));
        filter.verdicts.push_back(parsed);
    }
    if (!options.since.empty()) {
        REVET_ASSIGN_OR_RETURN(filter.since, parseSince(options.since));
    }
    filter.path = options.path;
    if (options.path.find('/') != std::string::npos && !options.path.starts_with('/')) {
        filter.path = (std::filesystem::path(currentDirectory()) / options.path).lexically_normal().string();
    }
    return filter;
}

Result<EventSeq> printFrom(EventSeq after, journal::JournalReader& reader, EventPrinter& printer,
                           const journal::EventFilter& filter)
{
    for (;;) {
        REVET_ASSIGN_OR_RETURN(const std::vector<Event> events,
                               reader.eventsAfter(after, kPageEvents, filter));
        for (const Event& event : events) {
            REVET_RETURN_IF_ERROR(printer.print(event));
            after = event.seq;
        }
        if (events.size() < kPageEvents) {
            return after;
        }
    }
}

Result<void> follow(api::Engine& engine, const SessionId& id, journal::JournalReader& reader,
                    EventPrinter& printer, const journal::EventFilter& filter)
{
    EventSeq after;
    Result<ipc::Client> client = engine.connect(id);
    bool isLive = client && client->subscribe();
    for (;;) {
        REVET_ASSIGN_OR_RETURN(after, printFrom(after, reader, printer, filter));
        if (!isLive) {
            return {}; // read once more after its end: nothing is missed
        }
        const Result<EventSeq> advance = client->waitForAdvance(kLongestWait);
        isLive = advance || advance.error().code == ErrorCode::TimedOut;
    }
}

int verifyOne(const api::Engine& engine, const SessionInfo& session, bool isJson)
{
    const Result<journal::VerifyReport> report = engine.verify(session.id);
    if (!report) {
        return cli::report(report.error());
    }
    if (isJson) {
        nlohmann::json object = listingObject(session.id);
        object["intact"] = report->isIntact;
        object["sealed"] = report->isSealed;
        object["events"] = report->events;
        object["batches"] = report->batches;
        object["bad_batch"] = report->badBatch;
        object["first_bad_event"] = report->firstBadEvent;
        object["last_bad_event"] = report->lastBadEvent;
        object["problem"] = report->problem;
        object["head"] = journal::toHex(report->head);
        printJson(object);
    } else if (report->isIntact) {
        print(session.id.text() + ": intact, " + std::to_string(report->events) + " events"
              + (report->isSealed ? "" : ", not closed (it runs, or its end was cut off)") + ", newest hash "
              + journal::toHex(report->head) + '\n');
    }
    if (!report->isIntact) {
        complain("verify " + session.id.text() + ": " + displayEscape(report->problem)
                 + (report->firstBadEvent == 0 ? ""
                                               : " at events " + std::to_string(report->firstBadEvent)
                            + " to " + std::to_string(report->lastBadEvent))
                 + "; what comes before is intact, what follows cannot be relied on");
        return kFailed;
    }
    return kDone;
}

Result<void> printOne(api::Engine& engine, const SessionInfo& session, const LogOptions& options,
                      const journal::EventFilter& filter)
{
    REVET_ASSIGN_OR_RETURN(journal::JournalReader reader, engine.openJournal(session.id));
    EventPrinter printer(reader, session.id,
                         options.session.isJson ? EventPrinter::Form::Json : EventPrinter::Form::Text);
    if (options.isFollowing) {
        return follow(engine, session.id, reader, printer, filter);
    }
    REVET_RETURN_IF_ERROR(printFrom(EventSeq(), reader, printer, filter));
    return {};
}

/// The one that was named; else all of this directory's project; of those, to follow, the only live one.
OrStatus<std::vector<SessionInfo>> wantedSessions(api::Engine& engine, const LogOptions& options)
{
    using Candidates = api::Engine::Candidates;
    if (!options.session.id.empty() || options.isFollowing) {
        OrStatus<SessionInfo> session = chooseSession(
            engine, options.session.id, options.isFollowing ? Candidates::Live : Candidates::All);
        if (!session) {
            return tl::unexpected(session.error());
        }
        return std::vector{*std::move(session)};
    }
    Result<std::vector<SessionInfo>> here = engine.findSessions({}, currentDirectory(), Candidates::All);
    if (!here) {
        return tl::unexpected(report(here.error()));
    }
    return *std::move(here);
}

} // namespace

int runLog(const Arguments& arguments)
{
    LogOptions options;
    CLI::App app("Shows what a session did, one event a line; without ID, all of the project's sessions.",
                 "revet log");
    options.session.addTo(app);
    app.add_flag("--follow", options.isFollowing, "go on while the session runs");
    app.add_option("--kind", options.kinds, "only this kind: exec, write, connect, …; repeatable")
        ->allow_extra_args(false);
    app.add_option("--verdict", options.verdicts, "only this verdict: denied, withheld, …; repeatable")
        ->allow_extra_args(false);
    app.add_option("--path", options.path, "only targets that match: * and ? within a name, ** across")
        ->type_name("GLOB");
    app.add_option("--since", options.since, "only later ones: an RFC 3339 time, or 30m, 7d ago")
        ->type_name("TIME");
    app.add_flag("--verify", options.isVerifying, "check that nobody has changed the record");
    if (const auto status = parse(app, arguments)) {
        return *status;
    }
    const Result<journal::EventFilter> filter = toFilter(options);
    if (!filter) {
        return report(filter.error());
    }
    Result<api::Engine> engine = api::Engine::open();
    if (!engine) {
        return report(engine.error());
    }
    const OrStatus<std::vector<SessionInfo>> sessions = wantedSessions(*engine, options);
    if (!sessions) {
        return sessions.error();
    }
    int status = kDone;
    for (const SessionInfo& session : *sessions) {
        if (options.isVerifying) {
            status = std::max(status, verifyOne(*engine, session, options.session.isJson));
            continue;
        }
        if (!options.session.isJson && sessions->size() > 1) {
            print("session " + session.id.text() + ": " + journal::commandLine(session.command) + '\n');
        }
        if (const Result<void> printed = printOne(*engine, session, options, *filter); !printed) {
            status = report(printed.error());
        }
    }
    return status;
}

} // namespace revet::cli
