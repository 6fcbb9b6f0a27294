// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/command.h"
#include "engine/cli/message.h"
#include "engine/cli/session_argument.h"
#include "engine/cli/terminal.h"
#include "engine/cli/text_table.h"
#include "engine/domain/display_escape.h"

#include <array>
#include <utility>

namespace revet::cli {

namespace {

using policy::ResolvedProfile;
using policy::SourcedTexts;

/// What a profile brings, under the names that its file uses.
constexpr std::array<std::pair<const char*, SourcedTexts ResolvedProfile::*>, 11> kLists
    = {{{"visible", &ResolvedProfile::visible},
        {"settings", &ResolvedProfile::settings},
        {"cache", &ResolvedProfile::cache},
        {"state", &ResolvedProfile::state},
        {"pass", &ResolvedProfile::pass},
        {"hosts", &ResolvedProfile::hosts},
        {"model_hosts", &ResolvedProfile::modelHosts},
        {"login_hosts", &ResolvedProfile::loginHosts},
        {"deny_hosts", &ResolvedProfile::denyHosts},
        {"arguments", &ResolvedProfile::arguments},
        {"notes", &ResolvedProfile::notes}}};

int list(const policy::ProfileSet& profiles, bool isJson)
{
    TextTable table(
        {{"NAME"}, {"EXTENDS", TextTable::Align::Left, true}, {"DESCRIPTION", TextTable::Align::Left, true}});
    for (const auto& [name, profile] : profiles.profiles()) {
        if (isJson) {
            printJson({{"schema", "revet.v1"},
                       {"profile", name},
                       {"description", profile.description},
                       {"extends", profile.extends}});
            continue;
        }
        std::string extends;
        for (const std::string& base : profile.extends) {
            extends += (extends.empty() ? "" : " ") + displayEscape(base);
        }
        table.addRow({displayEscape(name), extends, displayEscape(profile.description)});
    }
    if (!isJson) {
        print(table.toText(outputColumns()));
    }
    return kDone;
}

int show(const policy::ProfileSet& profiles, const std::string& name, bool isJson)
{
    const Result<ResolvedProfile> profile = profiles.resolve(name);
    if (!profile) {
        std::vector<std::string> names;
        for (const auto& [known, unused] : profiles.profiles()) {
            names.push_back(known);
        }
        const std::string closest = closestWord(name, names);
        complain("profile: there is no profile '" + displayEscape(name) + "'"
                 + (closest.empty() ? "" : ": did you mean '" + displayEscape(closest) + "'?")
                 + "; `revet profile list` lists them");
        return kNoSuchThing;
    }
    nlohmann::json object
        = {{"schema", "revet.v1"}, {"profile", profile->name}, {"description", profile->description}};
    TextTable table(
        {{"WHAT"}, {"VALUE", TextTable::Align::Left, true}, {"FROM", TextTable::Align::Left, true}});
    for (const auto& [key, member] : kLists) {
        object[key] = nlohmann::json::array();
        for (const auto& item : (*profile).*member) {
            object[key].push_back({{"value", item.value}, {"source", item.source}});
            table.addRow({key, displayEscape(item.value), displayEscape(item.source)});
        }
    }
    for (const auto& [key, pairs] :
         {std::pair("set", &profile->set), std::pair("managed", &profile->managed)}) {
        object[key] = nlohmann::json::object();
        for (const auto& [what, item] : *pairs) {
            object[key][what] = {{"value", item.value}, {"source", item.source}};
            table.addRow({key, displayEscape(what + '=' + item.value), displayEscape(item.source)});
        }
    }
    if (isJson) {
        printJson(object);
    } else {
        print(displayEscape(profile->name) + ": " + displayEscape(profile->description) + "\n\n"
              + table.toText(outputColumns()));
    }
    return kDone;
}

} // namespace

int runProfile(const Arguments& arguments)
{
    std::string action = "list";
    std::string name;
    bool isJson = false;
    CLI::App app("Shows what known agents and toolchains need: `list`, or `show NAME`.", "revet profile");
    app.add_option("ACTION", action, "list or show");
    app.add_option("NAME", name, "the profile to show");
    app.add_flag("--json", isJson, "one JSON object a line");
    if (const auto status = parse(app, arguments)) {
        return *status;
    }
    if (const auto status = checkAction("profile", action, {"list", "show"})) {
        return *status;
    }
    if ((action == "show") == name.empty()) {
        complain("profile " + action + ": " + (name.empty() ? "no name was given" : "it takes no name")
                 + "; write `revet profile show NAME` or `revet profile list`");
        return kUsage;
    }
    const Result<api::Engine> engine = api::Engine::open();
    if (!engine) {
        return report(engine.error());
    }
    const Result<policy::ProfileSet> profiles = engine->profiles();
    if (!profiles) {
        return report(profiles.error());
    }
    return action == "show" ? show(*profiles, name, isJson) : list(*profiles, isJson);
}

} // namespace revet::cli
