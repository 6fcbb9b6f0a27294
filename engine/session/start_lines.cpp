// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/start_lines.h"

#include "engine/domain/display_escape.h"

#include <algorithm>

namespace revet::session {

namespace {

/// As a person would call it: by its name in the project, or below the home.
std::string shortName(const std::string& path, const std::string& project, const std::string& home)
{
    if (path != project && isWithin(path, project)) {
        return displayQuoted(path.substr(project.size() + 1));
    }
    return isWithin(path, home) ? displayQuoted("~" + path.substr(home.size())) : displayQuoted(path);
}

} // namespace

std::vector<std::string> startLines(const ipc::RunRequest& request, const FoundProject& project,
                                    const Surroundings& surroundings, const Preparation& preparation,
                                    const StartFacts& facts)
{
    std::vector<std::string> lines;
    const bool isDirect = surroundings.session.tier == Tier::Sandbox;
    std::string profiles;
    for (const std::string& name : facts.profiles) {
        profiles += (profiles.empty() ? "" : ", ") + name;
    }
    lines.push_back("revet " + surroundings.session.id.text() + ": "
                    + std::string(toString(surroundings.session.tier)) + " (" + displayEscape(profiles)
                    + "): " + (isDirect ? "changes " : "works on a copy of ") + displayQuoted(project.path)
                    + (isDirect ? " directly; home is private" : "; home is private"));
    for (const std::string& root : project.sideRoots) {
        lines.back() += "; with its repository " + displayQuoted(root);
    }
    for (const std::string& name : facts.skippedProfiles) {
        lines.push_back("profile " + displayEscape(name) + " is not used: a box could have put "
                        + displayQuoted(request.command.front()) + " there; --profile " + displayEscape(name)
                        + " gives it your login, keys and settings");
    }
    std::string hosts;
    const std::vector<std::string> model = preparation.model.allowed();
    for (const std::string& host : preparation.network.allowed()) {
        const bool isModel = std::ranges::find(model, host) != model.end();
        hosts += (hosts.empty() ? "" : ", ") + displayEscape(host) + (isModel ? " (its model)" : "");
    }
    for (const std::uint16_t port : request.hostPorts) {
        hosts += (hosts.empty() ? "" : ", ") + ("this machine's own port " + std::to_string(port));
    }
    if (surroundings.hasGrants) {
        hosts += std::string(hosts.empty() ? "" : ", ") + "what was granted";
    }
    const bool asks = preparation.askDeadline > std::chrono::seconds(0);
    lines.push_back("network: "
                    + (hosts.empty() ? asks ? "no host is listed" : "the box's own loopback only" : hosts)
                    + (asks ? "; any other is asked about" : "; nothing else can be reached"));
    std::string hidden = "hidden: the rest of your home, " + std::to_string(facts.withheldVariables)
        + (facts.withheldVariables == 1 ? " variable" : " variables");
    for (const std::string& path : preparation.spec.masked) {
        hidden += ", " + shortName(path, project.path, preparation.spec.home);
    }
    if (!facts.isHiddenComplete) {
        hidden += " (not all of the project could be looked at)";
    }
    if (facts.hasDroppedSigning) {
        hidden += "; commits are not signed";
    }
    lines.push_back(hidden + "; see 'revet log " + surroundings.session.id.text() + "'");
    return lines;
}

} // namespace revet::session
