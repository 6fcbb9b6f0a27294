// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/api/answers.h"
#include "engine/cli/command.h"
#include "engine/cli/message.h"
#include "engine/cli/readable.h"
#include "engine/cli/session_argument.h"
#include "engine/cli/terminal.h"
#include "engine/cli/terminal_line.h"
#include "engine/cli/text_table.h"
#include "engine/domain/display_escape.h"
#include "engine/policy/text_lines.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace revet::cli {

namespace {

nlohmann::json toJson(const AskRecord& record)
{
    const Ask& ask = record.ask;
    nlohmann::json object = listingObject(ask.id.session);
    object["ask"] = ask.id.text();
    object["hash"] = ask.hash;
    object["state"] = toString(record.state);
    object["kind"] = toString(ask.kind);
    journal::putBytes(object, "project", ask.project);
    object["tier"] = toString(ask.tier);
    journal::putBytes(object, "target", ask.target);
    object["process"] = nlohmann::json::array();
    for (const AskProcess& process : ask.chain) {
        nlohmann::json one = {{"pid", process.pid}};
        journal::putBytes(one, "exe", process.exe);
        one["argv"] = nlohmann::json::array();
        for (const std::string& argument : process.argv) {
            nlohmann::json holder;
            journal::putBytes(holder, "text", argument);
            one["argv"].push_back(holder["text"]);
        }
        object["process"].push_back(std::move(one));
    }
    journal::putBytes(object, "cwd", ask.cwd);
    journal::putBytes(object, "why", ask.why);
    journal::putBytes(object, "claim", ask.claim);
    object["widens"] = {{"lane", toString(ask.lane)}, {"from", toString(ask.from)}, {"to", toString(ask.to)}};
    object["count"] = record.count;
    object["gave_up"] = record.hasGivenUp;
    object["created"] = toRfc3339(ask.created);
    object["deadline"] = ask.deadline ? nlohmann::json(toRfc3339(*ask.deadline)) : nlohmann::json();
    object["scopes"] = nlohmann::json::array();
    for (const GrantScope scope : ask.scopes) {
        object["scopes"].push_back(toString(scope));
    }
    object["settled"] = record.settled ? nlohmann::json(toRfc3339(*record.settled)) : nlohmann::json();
    object["scope"] = record.scope ? nlohmann::json(toString(*record.scope)) : nlohmann::json();
    return object;
}

std::string who(const Ask& ask)
{
    constexpr std::size_t kNameColumns = 40;
    std::string text;
    for (const AskProcess& process : ask.chain) {
        if (process.pid != 0) { // else it is those that were left out
            text += (text.empty() ? "" : " > ")
                + elideMiddle(displayQuoted(lastPart(process.exe)), kNameColumns) + ' '
                + std::to_string(process.pid);
        }
    }
    return text.empty() ? "not known" : text;
}

/// "in 9m", "9m ago", "-".
std::string answersItself(const AskRecord& record)
{
    if (record.state != AskState::Waiting || !record.ask.deadline) {
        return "-";
    }
    // An age counts backwards from now: the same distance on the other side.
    const WallTime now = SystemClock().now();
    return "in " + ageOf(now - (*record.ask.deadline - now));
}

std::string stateWords(const AskRecord& record)
{
    std::string text(toString(record.state));
    if (record.scope) {
        text += ", " + std::string(toString(*record.scope));
    }
    return record.state == AskState::Waiting && record.hasGivenUp ? text + ", gave up" : text;
}

void printTable(const std::vector<AskRecord>& records)
{
    TextTable table({{"ASK"},
                     {"STATE"},
                     {"TARGET", TextTable::Align::Left, true},
                     {"WHO", TextTable::Align::Left, true},
                     {"TIMES", TextTable::Align::Right},
                     {"AGE", TextTable::Align::Right},
                     {"NO", TextTable::Align::Right}});
    for (const AskRecord& record : records) {
        table.addRow({record.ask.id.text(), stateWords(record), displayEscape(record.ask.target),
                      who(record.ask), std::to_string(record.count), ageOf(record.ask.created),
                      answersItself(record)});
    }
    print(table.toText(outputColumns()));
}

std::string row(std::string label, const std::string& text)
{
    label.resize(9, ' ');
    return label + text + '\n';
}

struct KindWords
{
    const char* title;
    const char* ifYes;
};

KindWords wordsFor(AskKind kind)
{
    switch (kind) {
    case AskKind::Destination:
        return {"CONNECT TO A SERVER ON THE NETWORK",
                "what the box can read can be sent there; it sees no more of your files than before"};
    case AskKind::Brake:
        return {"GO ON REMOVING FILES", "what is held goes on, and nothing is held any more in this session"};
    case AskKind::RunLater:
        return {"WRITE WHAT THIS MACHINE RUNS LATER",
                "what it writes there runs outside the box, as you, when its time comes"};
    case AskKind::Path:
    case AskKind::PathWrite:
        return {"SEE FILES OF THIS MACHINE",
                "it can read all that is there, and take it wherever it can send"};
    case AskKind::HostPort:
    case AskKind::Publish:
    case AskKind::Socket:
        break;
    }
    return {"", ""};
}

/// Rows of at most so many columns: where a terminal breaks a longer one, what follows would begin where our
/// own lines do.
std::string rows(std::string label, std::string_view escaped, std::size_t columns)
{
    std::string text;
    do { // a character has no more columns than bytes
        std::size_t end = std::min(std::max<std::size_t>(columns, 1), escaped.size());
        while (end < escaped.size() && end > 1
               && (static_cast<unsigned char>(escaped[end]) & 0xc0U) == 0x80U) {
            --end;
        }
        text += row(std::exchange(label, ""), std::string(escaped.substr(0, end)));
        escaped.remove_prefix(end);
    } while (!escaped.empty());
    return text;
}

std::string processLine(const AskProcess& process)
{
    return process.pid == 0 ? displayEscape(process.exe)
                            : std::to_string(process.pid) + ' ' + displayQuoted(process.exe) + ": "
            + journal::commandLine(process.argv);
}

/// Words of the box's own, which end where ours go on.
std::string claimText(const std::string& claim)
{
    std::string quoted;
    for (const char character : displayEscape(claim)) {
        quoted += character == '"' ? std::string("\\\"") : std::string(1, character);
    }
    return "the box says: \"" + quoted + '"';
}

/// All that an answer is about. What the box chose takes one line each unless it `isFull`, so that it moves
/// nothing else out of sight; but what would be written is what the answer is about. The target is the last
/// line, too.
void printCard(const AskRecord& record, bool isFull)
{
    constexpr std::size_t kLabelColumns = 9;
    constexpr std::size_t kColumns = 120; ///< where nothing says how many there are
    const std::size_t columns = (outputColumns() == 0 ? kColumns : outputColumns()) - kLabelColumns;
    const auto shown = [=](std::string text) { return isFull ? text : elideMiddle(text, columns); };
    const Ask& ask = record.ask;
    const KindWords words = wordsFor(ask.kind);
    std::string text = words.title + std::string("\n");
    text += row(
        "Ask",
        ask.id.text() + ", " + stateWords(record)
            + (record.state == AskState::Waiting ? ", answers itself no " + answersItself(record) : ""));
    text += row("What", displayEscape(ask.target));
    text += row("Who", shown(who(ask)));
    for (const AskProcess& process : ask.chain) {
        text += row("", shown(processLine(process)));
    }
    text += row("Cwd", shown(displayQuoted(ask.cwd)));
    text += row("Box", std::string(toString(ask.tier)) + ", " + displayQuoted(ask.project));
    std::string label = "Why";
    policy::forEachLine(ask.why, [&](std::string_view line) { // what would be written is never shortened
        text += rows(std::exchange(label, ""), displayEscape(line), columns);
    });
    if (!ask.claim.empty()) {
        text += row("Claim", shown(claimText(ask.claim)));
    }
    text += row("If yes",
                std::string(toString(ask.lane)) + " reach " + std::string(toString(ask.from)) + " -> "
                    + std::string(toString(ask.to)) + ": " + words.ifYes);
    text += row("Times",
                std::to_string(record.count)
                    + (record.hasGivenUp ? "; the program waits no longer, a yes is for its next try" : ""));
    std::string scopes;
    for (const GrantScope scope : ask.scopes) {
        scopes += (scopes.empty() ? "" : ", ") + std::string(toString(scope));
    }
    const bool isForProject = std::ranges::find(ask.scopes, GrantScope::Project) != ask.scopes.end();
    text += row("Scopes", scopes + (isForProject ? ", or until a date in the project" : ""));
    text += row("Hash", ask.hash);
    print(text + row("What", displayEscape(ask.target)));
}

int showOne(const std::vector<AskRecord>& records, const std::string& name, bool isJson, bool isFull)
{
    const Result<AskId> id = AskId::parse(name);
    if (!id) {
        return report(id.error());
    }
    const auto found
        = std::ranges::find_if(records, [&id](const AskRecord& record) { return record.ask.id == *id; });
    if (found == records.end()) {
        complain("asks: there is no " + id->text() + "; `revet asks --all` lists them");
        return kNoSuchThing;
    }
    if (isJson) {
        printJson(toJson(*found));
    } else {
        printCard(*found, isFull);
    }
    return kDone;
}

/// `revet approve` and `revet deny`.
int answer(const Arguments& arguments, bool isApproved)
{
    std::string name;
    std::string scope;
    std::string hash;
    const std::string command = isApproved ? "approve" : "deny";
    CLI::App app(isApproved
                     ? "Lets what an ask is about happen: once, for the process, the session, the "
                       "project, or in the project until a date."
                     : "Says no to an ask. The program is told at once, and the same is not asked again "
                       "in its session.",
                 "revet " + command);
    app.add_option("ASK", name, "as `revet asks` lists it")->required();
    app.add_option("--scope", scope,
                   "once, process, session, project, a time such as 7d, a date; else the narrowest that the "
                   "ask offers")
        ->type_name("SCOPE");
    app.add_option("--hash", hash,
                   "answer only what has this hash, or one that begins so, without a question")
        ->type_name("HASH");
    if (const auto status = parse(app, arguments)) {
        return *status;
    }
    const Result<AskId> id = AskId::parse(name);
    if (!id) {
        return report(id.error());
    }
    Result<api::Engine> engine = api::Engine::open();
    if (!engine) {
        return report(engine.error());
    }
    const auto record = engine->catalogue().answers().ask(*id);
    if (!record) {
        return report(record.error());
    }
    if (!*record) {
        complain(command + ": there is no " + id->text() + "; `revet asks` lists them");
        return kNoSuchThing;
    }
    if (scope.empty()) {
        const std::vector<GrantScope>& offered = (*record)->ask.scopes;
        scope = toString(isApproved && !offered.empty() ? offered.front() : GrantScope::Once);
    }
    const Result<api::AnswerScope> parsed = api::parseAnswerScope(scope, SystemClock().now());
    if (!parsed) {
        return report(parsed.error());
    }
    constexpr std::size_t kShortestHash = 12;
    if (!hash.empty() && (hash.size() < kShortestHash || !(*record)->ask.hash.starts_with(hash))) {
        complain(command + ' ' + id->text() + ": it has another hash; look at it again: `revet asks "
                 + id->text() + '`');
        return kConflict;
    }
    if (isApproved && hash.empty()) {
        if (!canConfirm()) {
            complain("approve " + id->text()
                     + ": name what you have looked at, with --hash, or answer on a terminal");
            return kUsage;
        }
        printCard(**record, false);
        if (!confirm("revet: approve it, " + scope + "?")) {
            complain("approve: nothing was answered");
            return kRefused;
        }
    }
    if (const Result<void> done = api::answerAsk(*engine, **record, isApproved, *parsed); !done) {
        return report(done.error());
    }
    const bool isLate = (*record)->hasGivenUp || (*record)->state == AskState::Missed;
    complain(std::string(isApproved ? "approved" : "denied") + ", " + scope + ": "
             + displayEscape((*record)->ask.target)
             + (!isApproved  ? "; it is not asked again in this session"
                    : isLate ? "; nobody waits for it now: it holds for the next try"
                             : ""));
    return kDone;
}

} // namespace

int runAsks(const Arguments& arguments)
{
    std::string name;
    bool isAll = false;
    bool isMissed = false;
    bool isJson = false;
    bool isFull = false;
    CLI::App app("Lists what boxes want and may not have until you say so, or shows one ask in full.",
                 "revet asks");
    app.add_option("ASK", name, "one of them");
    app.add_flag("--missed", isMissed, "those that nobody answered in time; they can still be answered");
    app.add_flag("--all", isAll, "answered ones, too");
    app.add_flag("--full", isFull, "with ASK: nothing of its processes is shortened");
    app.add_flag("--json", isJson, "one JSON object a line");
    if (const auto status = parse(app, arguments)) {
        return *status;
    }
    Result<api::Engine> engine = api::Engine::open();
    if (!engine) {
        return report(engine.error());
    }
    Result<std::vector<AskRecord>> records = api::asks(*engine);
    if (!records) {
        return report(records.error());
    }
    if (!name.empty()) {
        return showOne(*records, name, isJson, isFull);
    }
    const AskState wanted = isMissed ? AskState::Missed : AskState::Waiting;
    const auto missed = std::ranges::count(*records, AskState::Missed, &AskRecord::state);
    if (!isAll) {
        std::erase_if(*records, [wanted](const AskRecord& record) { return record.state != wanted; });
    }
    if (isJson) {
        std::ranges::for_each(*records, [](const AskRecord& record) { printJson(toJson(record)); });
        return kDone;
    }
    if (!records->empty()) {
        printTable(*records);
    } else {
        complain(isMissed || isAll ? "there are none" : "nothing waits for an answer");
    }
    if (missed > 0 && !isMissed && !isAll) {
        complain(std::to_string(missed) + " missed; `revet asks --missed` lists them");
    }
    return kDone;
}

int runApprove(const Arguments& arguments)
{
    return answer(arguments, true);
}

int runDeny(const Arguments& arguments)
{
    return answer(arguments, false);
}

} // namespace revet::cli
