// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/session_argument.h"

#include "engine/cli/message.h"
#include "engine/cli/readable.h"
#include "engine/cli/terminal.h"
#include "engine/cli/text_table.h"
#include "engine/domain/display_escape.h"

#include <algorithm>

#include <unistd.h>

namespace revet::cli {

namespace {

constexpr std::size_t kMaximumListed = 10;

/// A table to choose from. The newest first: it is the likeliest.
std::string listed(const std::vector<SessionInfo>& sessions)
{
    TextTable table({{"ID"},
                     {"LABEL", TextTable::Align::Left, true},
                     {"STATE"},
                     {"TIER"},
                     {"AGE", TextTable::Align::Right},
                     {"COMMAND", TextTable::Align::Left, true}});
    const std::size_t shown = std::min(sessions.size(), kMaximumListed);
    std::for_each_n(sessions.rbegin(), shown, [&table](const SessionInfo& session) {
        table.addRow({session.id.text(), displayEscape(session.label), std::string(toString(session.state)),
                      std::string(toString(session.tier)), ageOf(session.started),
                      journal::commandLine(session.command)});
    });
    std::string text = table.toText(outputColumns(STDERR_FILENO));
    if (shown < sessions.size()) {
        return text + "and " + std::to_string(sessions.size() - shown)
            + " older; `revet ps --all` lists them";
    }
    text.pop_back(); // complain() ends the line
    return text;
}

} // namespace

void SessionArgument::addTo(CLI::App& app)
{
    app.add_option("ID", id,
                   "an id, a unique prefix of one, or a label (default: the project's only session)");
    app.add_flag("--json", isJson, "one JSON object a line");
}

std::string currentDirectory()
{
    std::error_code problem;
    return std::filesystem::current_path(problem).string();
}

OrStatus<SessionInfo> chooseSession(api::Engine& engine, const std::string& id,
                                    api::Engine::Candidates candidates)
{
    Result<std::vector<SessionInfo>> found = engine.findSessions(id, currentDirectory(), candidates);
    if (!found) {
        return tl::unexpected(report(found.error()));
    }
    if (found->size() == 1) {
        return std::move(found->front());
    }
    complain("choose a session: " + std::to_string(found->size())
             + (id.empty() ? " are of this project" : " fit '" + displayEscape(id) + "'")
             + "; name one of them by its id\n" + listed(*found));
    return tl::unexpected(kUsage);
}

OrStatus<OpenedSession> openSession(api::Engine& engine, const SessionArgument& argument)
{
    OrStatus<SessionInfo> session = chooseSession(engine, argument.id, api::Engine::Candidates::All);
    if (!session) {
        return tl::unexpected(session.error());
    }
    Result<journal::JournalReader> reader = engine.openJournal(session->id);
    if (!reader) {
        return tl::unexpected(report(reader.error()));
    }
    return OpenedSession{*std::move(session), *std::move(reader)};
}

nlohmann::json listingObject(const SessionId& session)
{
    return {{"schema", "revet.v1"}, {"session", session.text()}};
}

void printJson(const nlohmann::json& object)
{
    print(journal::toJsonLine(object) + '\n');
}

} // namespace revet::cli
