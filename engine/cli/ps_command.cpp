// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/command.h"
#include "engine/cli/message.h"
#include "engine/cli/readable.h"
#include "engine/cli/session_argument.h"
#include "engine/cli/terminal.h"
#include "engine/cli/text_table.h"
#include "engine/domain/display_escape.h"

namespace revet::cli {

namespace {

nlohmann::json toJson(const SessionInfo& session)
{
    nlohmann::json object = listingObject(session.id);
    journal::putBytes(object, "label", session.label);
    object["state"] = toString(session.state);
    journal::putBytes(object, "project", session.project);
    object["tier"] = toString(session.tier);
    object["observe"] = toString(session.observe);
    object["command"] = journal::commandLine(session.command);
    object["radius"] = toString(session.reached);
    object["asks"] = session.asksPending;
    object["events"] = session.events;
    object["started"] = toRfc3339(session.started);
    object["ended"] = session.ended ? nlohmann::json(toRfc3339(*session.ended)) : nlohmann::json();
    object["status"]
        = session.waitStatus ? nlohmann::json(shellStatus(*session.waitStatus)) : nlohmann::json();
    journal::putBytes(object, "reason", session.endReason);
    return object;
}

} // namespace

int runPs(const Arguments& arguments)
{
    bool isAll = false;
    bool isJson = false;
    CLI::App app("Lists the sessions that run or whose changes wait.", "revet ps");
    app.add_flag("--all", isAll, "ended ones, too");
    app.add_flag("--json", isJson, "one JSON object a line");
    if (const auto status = parse(app, arguments)) {
        return *status;
    }
    Result<api::Engine> engine = api::Engine::open();
    if (!engine) {
        return report(engine.error());
    }
    const Result<std::vector<SessionInfo>> sessions = engine->sessions();
    if (!sessions) {
        return report(sessions.error());
    }
    TextTable table({{"ID"},
                     {"LABEL", TextTable::Align::Left, true},
                     {"STATE"},
                     {"PROJECT", TextTable::Align::Left, true},
                     {"TIER"},
                     {"COMMAND", TextTable::Align::Left, true},
                     {"RADIUS"},
                     {"ASKS", TextTable::Align::Right},
                     {"AGE", TextTable::Align::Right}});
    for (const SessionInfo& session : *sessions) {
        if (!isAll && !isLive(session) && session.state != SessionState::Review) {
            continue;
        }
        if (isJson) {
            printJson(toJson(session));
            continue;
        }
        table.addRow({session.id.text(), displayEscape(session.label), std::string(toString(session.state)),
                      displayEscape(lastPart(session.project)), std::string(toString(session.tier)),
                      journal::commandLine(session.command), std::string(toString(session.reached)),
                      std::to_string(session.asksPending), ageOf(session.started)});
    }
    if (!isJson && !table.isEmpty()) {
        print(table.toText(outputColumns()));
    } else if (!isJson) {
        complain(isAll ? "no session yet; `revet run -- COMMAND` starts one"
                       : "no session runs; `revet ps --all` lists the ended ones");
    }
    return kDone;
}

} // namespace revet::cli
