// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/api/answers.h"
#include "engine/cli/command.h"
#include "engine/cli/message.h"
#include "engine/cli/readable.h"
#include "engine/cli/session_argument.h"
#include "engine/cli/terminal.h"
#include "engine/cli/text_table.h"
#include "engine/domain/display_escape.h"

#include <filesystem>

namespace revet::cli {

namespace {

nlohmann::json timeOrNull(const std::optional<WallTime>& time)
{
    return time ? nlohmann::json(toRfc3339(*time)) : nlohmann::json();
}

nlohmann::json toJson(const Grant& grant)
{
    nlohmann::json object = {{"schema", "revet.v1"}, {"grant", grant.name()}};
    object["session"] = grant.session.isNone() ? nlohmann::json() : nlohmann::json(grant.session.text());
    journal::putBytes(object, "project", grant.project);
    object["kind"] = toString(grant.kind);
    object["effect"] = grant.isAllowed ? "allow" : "deny";
    object["scope"] = toString(grant.scope);
    journal::putBytes(object, "target", grant.target);
    object["ask"] = grant.origin.empty() ? nlohmann::json() : nlohmann::json(grant.origin);
    object["created"] = toRfc3339(grant.created);
    object["expires"] = timeOrNull(grant.expires);
    object["last_use"] = timeOrNull(grant.lastUse);
    object["hits"] = grant.hits;
    object["revoked"] = timeOrNull(grant.revoked);
    return object;
}

void printTable(const std::vector<Grant>& grants)
{
    TextTable table({{"GRANT"},
                     {"EFFECT"},
                     {"TARGET", TextTable::Align::Left, true},
                     {"SCOPE"},
                     {"OF", TextTable::Align::Left, true},
                     {"EXPIRES"},
                     {"HITS", TextTable::Align::Right},
                     {"FROM"}});
    for (const Grant& grant : grants) {
        const std::string of
            = grant.session.isNone() ? displayEscape(lastPart(grant.project)) : grant.session.text();
        const std::string end = grant.revoked ? "is over"
            : grant.expires                   ? toRfc3339(*grant.expires)
                                              : "never";
        table.addRow({grant.name(), grant.isAllowed ? "allow" : "deny", displayEscape(grant.target),
                      std::string(toString(grant.scope)), of, end, std::to_string(grant.hits),
                      grant.origin.empty() ? "you" : grant.origin});
    }
    print(table.toText(outputColumns()));
}

/// Fills in for whom it is: a session that runs, or a directory's project. A name is never a directory's,
/// since a box can make one of any name in its project.
OrStatus<Grant> grantFor(api::Engine& engine, const std::string& whom)
{
    Grant grant;
    std::error_code problem;
    if (whom.find('/') != std::string::npos || whom == "." || whom == "..") {
        Result<std::string> project = engine.findProject(
            std::filesystem::absolute(whom, problem).lexically_normal().string(), currentDirectory());
        if (!project) {
            return tl::unexpected(report(project.error()));
        }
        grant.scope = GrantScope::Project;
        grant.project = *std::move(project);
        return grant;
    }
    OrStatus<SessionInfo> session = chooseSession(engine, whom, api::Engine::Candidates::Live);
    if (!session) {
        return tl::unexpected(session.error());
    }
    if (!isLive(*session)) {
        complain("grant: " + session->id.text()
                 + " has ended; name the project's directory for later sessions");
        return tl::unexpected(kRefused);
    }
    grant.scope = GrantScope::Session;
    grant.session = session->id;
    grant.project = session->project;
    return grant;
}

} // namespace

int runGrants(const Arguments& arguments)
{
    bool isAll = false;
    bool isJson = false;
    CLI::App app("Lists the answers that hold: what was permitted or denied, to whom, until when.",
                 "revet grants");
    app.add_flag("--all", isAll, "those that are over, too");
    app.add_flag("--json", isJson, "one JSON object a line");
    if (const auto status = parse(app, arguments)) {
        return *status;
    }
    Result<api::Engine> engine = api::Engine::open();
    if (!engine) {
        return report(engine.error());
    }
    const Result<std::vector<Grant>> grants = api::grants(*engine, isAll);
    if (!grants) {
        return report(grants.error());
    }
    if (isJson) {
        for (const Grant& grant : *grants) {
            printJson(toJson(grant));
        }
    } else if (grants->empty()) {
        complain("no grant is in force");
    } else {
        printTable(*grants);
    }
    return kDone;
}

int runGrant(const Arguments& arguments)
{
    std::string whom;
    std::vector<std::string> hosts;
    std::string duration;
    CLI::App app("Lets a running session, or all sessions of a project, reach more; at once.", "revet grant");
    app.add_option("ID|PROJECT", whom, "a session, or a project's directory: . or with a slash")->required();
    app.add_option("--allow-host", hosts, "let it connect to a host; repeatable")
        ->type_name("HOST[:PORT]")
        ->required()
        ->allow_extra_args(false);
    app.add_option("--for", duration, "for how long: 5m, 2h, 7d (default: until it is revoked)")
        ->type_name("TIME");
    if (const auto status = parse(app, arguments)) {
        return *status;
    }
    const Result<std::chrono::seconds> time
        = duration.empty() ? std::chrono::seconds(0) : parseDuration(duration);
    if (!time) {
        return report(time.error());
    }
    Result<api::Engine> engine = api::Engine::open();
    if (!engine) {
        return report(engine.error());
    }
    OrStatus<Grant> grant = grantFor(*engine, whom);
    if (!grant) {
        return grant.error();
    }
    if (!duration.empty()) {
        grant->expires = SystemClock().now() + *time;
    }
    for (const std::string& host : hosts) {
        grant->target = host;
        const Result<std::int64_t> id = api::addGrant(*engine, *grant);
        if (!id) {
            return report(id.error());
        }
        print('g' + std::to_string(*id) + '\n');
        complain("granted: " + displayEscape(host) + ", to "
                 + (grant->session.isNone() ? "every session of " + displayQuoted(grant->project)
                                            : "the session " + grant->session.text())
                 + ", until " + (grant->expires ? toRfc3339(*grant->expires) : "it is revoked"));
    }
    return kDone;
}

int runRevoke(const Arguments& arguments)
{
    std::string name;
    CLI::App app("Takes a grant back. New connections are refused or asked about; open ones stay.",
                 "revet revoke");
    app.add_option("GRANT", name, "as `revet grants` lists it")->required();
    if (const auto status = parse(app, arguments)) {
        return *status;
    }
    const Result<std::int64_t> id = parseGrantName(name);
    if (!id) {
        return report(id.error());
    }
    Result<api::Engine> engine = api::Engine::open();
    if (!engine) {
        return report(engine.error());
    }
    const Result<void> done = api::revokeGrant(*engine, *id);
    return done ? kDone : report(done.error());
}

} // namespace revet::cli
