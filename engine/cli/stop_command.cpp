// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/command.h"
#include "engine/cli/message.h"
#include "engine/cli/session_argument.h"

namespace revet::cli {

int runStop(const Arguments& arguments)
{
    SessionArgument argument;
    bool isAll = false;
    ipc::Stop how;
    CLI::App app("Ends a session: TERM, and KILL after 10 seconds. Returns when its box is gone.",
                 "revet stop");
    app.add_option("ID", argument.id,
                   "an id, a unique prefix of one, or a label (default: the only one here)");
    app.add_flag("--all", isAll, "every session that runs");
    app.add_flag("--force", how.isForced, "KILL at once");
    if (const auto status = parse(app, arguments)) {
        return *status;
    }
    if (isAll && !argument.id.empty()) {
        complain("stop: both an ID and --all were given; name one of them");
        return kUsage;
    }
    Result<api::Engine> engine = api::Engine::open();
    if (!engine) {
        return report(engine.error());
    }
    std::vector<SessionInfo> chosen;
    if (isAll) {
        Result<std::vector<SessionInfo>> sessions = engine->sessions();
        if (!sessions) {
            return report(sessions.error());
        }
        chosen = *std::move(sessions);
        std::erase_if(chosen, [](const SessionInfo& session) { return !isLive(session); });
    } else {
        OrStatus<SessionInfo> session = chooseSession(*engine, argument.id, api::Engine::Candidates::Live);
        if (!session) {
            return session.error();
        }
        chosen.push_back(*std::move(session));
    }
    int status = kDone;
    for (const SessionInfo& session : chosen) {
        if (!isLive(session)) {
            complain("stop " + session.id.text() + ": it has ended already");
            continue; // what was asked for is so
        }
        if (const Result<void> stopped = engine->stop(session.id, how); !stopped) {
            status = report(stopped.error());
        }
    }
    return status;
}

} // namespace revet::cli
