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

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string_view>

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
                     {"KIND"},
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
        table.addRow({grant.name(), grant.isAllowed ? "allow" : "deny", std::string(toString(grant.kind)),
                      displayEscape(grant.target), std::string(toString(grant.scope)), of, end,
                      std::to_string(grant.hits), grant.origin.empty() ? "you" : grant.origin});
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

struct Wish
{
    AskKind kind = AskKind::Destination;
    std::string target;

    /// A host is known by its name, all else by its kind, too.
    [[nodiscard]] std::string words() const
    {
        return (kind == AskKind::Destination ? "" : std::string(toString(kind)) + ' ')
            + displayEscape(target);
    }
};

/// What `revet grant` was asked for.
struct Wishes
{
    std::vector<std::string> words;
    std::vector<std::string> hosts;
    std::vector<std::string> readable;
    std::vector<std::string> writable;
    std::vector<std::uint16_t> hostPorts;
    std::vector<std::uint16_t> published;
    std::vector<std::string> sockets;

    [[nodiscard]] Result<std::vector<Wish>> all() const
    {
        std::vector<Wish> wanted;
        for (const std::string& host : hosts) {
            wanted.push_back({AskKind::Destination, host});
        }
        const auto addPaths = [&wanted](AskKind kind, const std::vector<std::string>& paths) {
            for (const std::string& path : paths) {
                wanted.push_back({kind, absolute(path)});
            }
        };
        addPaths(AskKind::Path, readable);
        addPaths(AskKind::PathWrite, writable);
        for (const std::uint16_t port : hostPorts) {
            wanted.push_back({AskKind::HostPort, std::to_string(port)});
        }
        for (const std::uint16_t port : published) {
            wanted.push_back({AskKind::Publish, std::to_string(port)});
        }
        addPaths(AskKind::Socket, sockets);
        for (const std::string& word : words) {
            REVET_ASSIGN_OR_RETURN(Wish wish, parse(word));
            wanted.push_back(std::move(wish));
        }
        return wanted.empty() ? fail(ErrorCode::InvalidArgument, "read what to grant",
                                     "name a path, a host, a port or a socket; `revet grant --help`")
                              : Result<std::vector<Wish>>(std::move(wanted));
    }

private:
    /// Without "..", and without a slash at the end; links are not followed.
    static std::string absolute(const std::string& path)
    {
        std::error_code problem;
        std::string text = std::filesystem::absolute(path, problem).lexically_normal().string();
        while (text.size() > 1 && text.ends_with('/')) {
            text.pop_back();
        }
        return text;
    }
    static Result<Wish> parse(std::string_view word)
    {
        constexpr std::string_view kPath = "path:";
        std::string_view path = word.substr(std::min(kPath.size(), word.size()));
        const bool isWritable = path.ends_with(":rw");
        if (isWritable || path.ends_with(":ro")) {
            path.remove_suffix(3);
        }
        if (!word.starts_with(kPath) || !path.starts_with('/')) {
            return fail(ErrorCode::InvalidArgument, "read " + displayQuoted(word),
                        "write path:/DIR, path:/DIR:ro or path:/DIR:rw");
        }
        return Wish{isWritable ? AskKind::PathWrite : AskKind::Path, absolute(std::string(path))};
    }
};

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
    std::string duration;
    Wishes wishes;
    CLI::App app("Lets a running session, or all sessions of a project, reach more; at once.", "revet grant");
    app.add_option("ID|PROJECT", whom, "a session, or a project's directory: . or with a slash")->required();
    app.add_option("WHAT", wishes.words, "path:/DIR, path:/DIR:ro (the same) or path:/DIR:rw; repeatable");
    app.add_option("--allow-host", wishes.hosts, "let it connect to a host")->type_name("HOST[:PORT]");
    app.add_option("--bind-ro", wishes.readable, "show a path of yours, read-only")->type_name("PATH");
    app.add_option("--bind-rw", wishes.writable, "let it write a path of yours")->type_name("PATH");
    app.add_option("--host-port", wishes.hostPorts, "let it connect to a port of this machine's loopback")
        ->type_name("PORT")
        ->check(CLI::Range(1, UINT16_MAX));
    app.add_option("--publish", wishes.published, "let this machine connect to a port of its loopback")
        ->type_name("PORT")
        ->check(CLI::Range(1, UINT16_MAX));
    app.add_option("--socket", wishes.sockets, "let it speak to a local socket of yours")->type_name("PATH");
    app.add_option("--for", duration, "for how long: 5m, 2h, 7d (default: until it is revoked)")
        ->type_name("TIME");
    // A repeatable option takes one word each time, not all that follow.
    for (CLI::Option* const option : app.get_options()) {
        if (option->get_name() != "WHAT") {
            option->allow_extra_args(false);
        }
    }
    if (const auto status = parse(app, arguments)) {
        return *status;
    }
    const Result<std::chrono::seconds> time
        = duration.empty() ? std::chrono::seconds(0) : parseDuration(duration);
    const Result<std::vector<Wish>> wanted = wishes.all();
    if (!time || !wanted) {
        return report(time ? wanted.error() : time.error());
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
    for (const Wish& wish : *wanted) {
        grant->kind = wish.kind;
        grant->target = wish.target;
        const Result<std::int64_t> id = api::addGrant(*engine, *grant);
        if (!id) {
            return report(id.error());
        }
        print('g' + std::to_string(*id) + '\n');
        complain(
            "granted: " + wish.words() + ", to "
            + (grant->session.isNone() ? "every session of " + displayQuoted(grant->project)
                                       : "the session " + grant->session.text())
            + ", until " + (grant->expires ? toRfc3339(*grant->expires) : "it is revoked")
            + (wish.kind == AskKind::PathWrite ? "; undo does not bring back what it overwrites there" : ""));
    }
    return kDone;
}

int runRevoke(const Arguments& arguments)
{
    std::string name;
    CLI::App app("Takes a grant back. New connections are refused or asked about, and no path leads there "
                 "any more; open connections and files stay.",
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
