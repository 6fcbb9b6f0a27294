// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/api/project_settings.h"
#include "engine/cli/command.h"
#include "engine/cli/message.h"
#include "engine/cli/readable.h"
#include "engine/cli/session_argument.h"
#include "engine/cli/terminal.h"
#include "engine/cli/terminal_line.h"
#include "engine/cli/text_table.h"
#include "engine/domain/display_escape.h"

#include <algorithm>

namespace revet::cli {

namespace {

/// A setting as people see it.
struct Row
{
    std::string key;
    std::string value;
    std::string source;
    std::optional<api::RuleUse> use = std::nullopt; ///< of a rule that was used
};

/// Hosts of settings have been used or not.
void addUses(std::vector<Row>& rows, const std::vector<api::RuleUse>& uses)
{
    for (Row& row : rows) {
        const auto used = std::ranges::find_if(uses, [&row](const api::RuleUse& use) {
            return use.source == row.source && use.text == row.value
                && row.key == (use.isAllowed ? "allow_hosts" : "deny_hosts");
        });
        if (used != uses.end()) {
            row.use = *used;
        }
    }
}

template<typename T, typename ToText>
void addSingle(std::vector<Row>& rows, const char* key, const std::optional<policy::Sourced<T>>& value,
               ToText toText)
{
    if (value) {
        rows.push_back({key, std::string(toText(value->value)), value->source});
    }
}

std::vector<Row> rowsOf(const policy::EffectiveSettings& settings)
{
    std::vector<Row> rows;
    const auto number = [](std::uint64_t value) { return std::to_string(value); };
    const auto addList = [&rows](const char* key, const policy::SourcedTexts& values) {
        for (const auto& item : values) {
            rows.push_back({key, item.value, item.source});
        }
    };
    addSingle(rows, "tier", settings.tier, [](Tier tier) { return toString(tier); });
    addSingle(rows, "observe", settings.observe, [](ObserveLevel level) { return toString(level); });
    addSingle(rows, "on_ask", settings.onAsk, [](const policy::OnAsk& onAsk) { return toString(onAsk); });
    addSingle(rows, "limits.memory", settings.memoryBytes, number);
    addSingle(rows, "limits.processes", settings.processes, number);
    addSingle(rows, "limits.disk", settings.diskBytes, number);
    addSingle(rows, "limits.time", settings.time,
              [](std::chrono::seconds time) { return std::to_string(time.count()) + 's'; });
    addSingle(rows, "undo.budget", settings.undoBudget, number);
    addSingle(rows, "undo.largest", settings.undoLargest, number);
    addSingle(rows, "undo.brake", settings.brake, number);
    addList("profiles", settings.profiles);
    addList("unhide", settings.unhide);
    addList("bind_ro", settings.bindRo);
    addList("bind_rw", settings.bindRw);
    addList("allow_hosts", settings.allowHosts);
    addList("deny_hosts", settings.denyHosts);
    addList("env", settings.env);
    return rows;
}

void printJsonRow(const std::string& project, const Row& row)
{
    nlohmann::json object = {{"schema", "revet.v1"}};
    journal::putBytes(object, "project", project);
    object["key"] = row.key;
    journal::putBytes(object, "value", row.value);
    object["source"] = row.source;
    if (row.use) {
        object["hits"] = row.use->hits;
        object["last_use"] = toRfc3339(row.use->last);
    }
    printJson(object);
}

/// Shows what trust would bring and waits for a yes; with a hash of what was shown before nothing is asked.
int trust(api::Engine& engine, const std::string& project, const std::string& hash)
{
    const auto offer = api::repositoryOffer(engine, project);
    const auto sessions = engine.sessions();
    if (!offer || !sessions) {
        return report(offer ? sessions.error() : offer.error());
    }
    constexpr std::size_t kShortestHash = 12;
    if (!hash.empty() && (hash.size() < kShortestHash || !offer->hash.starts_with(hash))) {
        complain("project trust: .revet.toml has another hash; look at it again");
        return kConflict;
    }
    if (hash.empty()) {
        const auto isIn
            = [&project](const SessionInfo& one) { return isLive(one) && one.project == project; };
        TextTable table({{"KEY"}, {"VALUE", TextTable::Align::Left, true}});
        for (const Row& row : rowsOf(offer->effective)) {
            if (row.source == ".revet.toml") {
                table.addRow({row.key, displayEscape(row.value)});
            }
        }
        print(".revet.toml of " + displayQuoted(project) + ", hash " + offer->hash + '\n'
              + (table.isEmpty() ? "brings nothing\n" : table.toText(outputColumns())));
        const bool isBusy = std::ranges::any_of(*sessions, isIn);
        if (isBusy || !canConfirm()) {
            complain(
                std::string("project trust: ")
                + (isBusy ? "a session runs in the project: end it first, or" : "answer on a terminal, or")
                + " name what you have looked at, with --hash");
            return isBusy ? kRefused : kUsage;
        }
        if (!confirm("revet: trust it?")) {
            complain("project trust: nothing was changed");
            return kRefused;
        }
    }
    const Result<void> done = api::trustRepositorySettings(engine, project, offer->hash);
    return done ? kDone : report(done.error());
}

Result<void> show(api::Engine& engine, const std::string& project, bool isJson)
{
    REVET_ASSIGN_OR_RETURN(const api::ProjectSettings settings, api::loadProjectSettings(engine, project));
    std::vector<Row> rows = rowsOf(settings.effective);
    REVET_ASSIGN_OR_RETURN(const auto uses, api::ruleUses(engine, settings));
    addUses(rows, uses);
    if (isJson) {
        for (const Row& row : rows) {
            printJsonRow(project, row);
        }
        return {};
    }
    print("project " + displayQuoted(project) + '\n');
    TextTable table(
        {{"KEY"}, {"VALUE", TextTable::Align::Left, true}, {"FROM", TextTable::Align::Left, true}, {"USED"}});
    for (const Row& row : rows) {
        const std::string used
            = row.use ? std::to_string(row.use->hits) + ", " + ageOf(row.use->last) + " ago" : std::string();
        table.addRow({row.key, displayEscape(row.value), displayEscape(row.source), used});
    }
    print(table.isEmpty() ? "nothing is set: Revet's own defaults hold\n" : table.toText(outputColumns()));
    if (settings.repository == api::ProjectSettings::Repository::Untrusted) {
        print(".revet.toml is not trusted: it could only tighten; `revet project trust` after you have read "
              "it\n");
        for (const std::string& ignored : settings.ignored) {
            print("  ignored: " + displayEscape(ignored) + '\n');
        }
    }
    return {};
}

} // namespace

int runProject(const Arguments& arguments)
{
    std::string action = "show";
    std::vector<std::string> assignments;
    std::string named;
    std::string hash;
    bool isJson = false;
    CLI::App app(
        "Shows a project's effective settings and where each comes from, changes them, or trusts the "
        "project's .revet.toml as it is now.",
        "revet project");
    app.add_option("ACTION", action, "show, set or trust");
    app.add_option("SETTING", assignments, "for set: KEY=VALUE, KEY+=VALUE or KEY-=VALUE");
    app.add_option("--project", named, "the directory (default: git work tree, or here)")->type_name("DIR");
    app.add_option("--hash", hash,
                   "for trust: only what has this hash, or one that begins so, without a question")
        ->type_name("HASH");
    app.add_flag("--json", isJson, "one JSON object a line");
    if (const auto status = parse(app, arguments)) {
        return *status;
    }
    if (const auto status = checkAction("project", action, {"show", "set", "trust"})) {
        return *status;
    }
    if ((action == "set") == assignments.empty()) {
        complain("project " + action + ": "
                 + (assignments.empty() ? "no setting was given" : "it takes no setting")
                 + "; write `revet project set KEY=VALUE`");
        return kUsage;
    }
    Result<api::Engine> engine = api::Engine::open();
    if (!engine) {
        return report(engine.error());
    }
    const Result<std::string> project = engine->findProject(
        named.empty() ? std::nullopt : std::optional<std::string>(named), currentDirectory());
    if (!project) {
        return report(project.error());
    }
    Result<void> done;
    if (action == "set") {
        done = api::changeProjectSettings(*engine, *project, assignments);
    } else if (action == "trust") {
        return trust(*engine, *project, hash);
    } else {
        done = show(*engine, *project, isJson);
    }
    return done ? kDone : report(done.error());
}

} // namespace revet::cli
