// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/session_rules.h"

#include "engine/policy/tool_hosts.h"

namespace revet::session {

namespace {

using policy::NetworkRule;
using policy::RuleScope;

NetworkRule ruleOf(const policy::Sourced<std::string>& host, const std::string& text, bool isAllowed)
{
    return {text, isAllowed, RuleScope::Profile, "profile " + host.source};
}

void addAllowed(const policy::SourcedTexts& hosts, const ToolConfiguration& tools,
                std::vector<NetworkRule>& rules)
{
    for (const auto& host : hosts) {
        if (!policy::isHostToken(host.value)) {
            rules.push_back(ruleOf(host, host.value, true));
            continue;
        }
        // What the box could not reach anyway, such as a registry on this machine, is no rule.
        for (const std::string& address : tools.find(host.value).addresses) {
            if (const auto text = policy::ruleOfAddress(address)) {
                rules.push_back(ruleOf(host, *text, true));
            }
        }
    }
}

} // namespace

std::vector<policy::NetworkRule> rulesOf(const ProjectSettings& settings)
{
    const auto scopeOf = [&settings](const std::string& source) {
        const bool isRepository = source == kRepositoryFile;
        return source == kUserFile ? policy::RuleScope::User
            : isRepository && settings.repository == ProjectSettings::Repository::Untrusted
            ? policy::RuleScope::Repository
            : policy::RuleScope::Project;
    };
    std::vector<policy::NetworkRule> rules;
    for (const auto& host : settings.effective.allowHosts) {
        rules.push_back({host.value, true, scopeOf(host.source), host.source});
    }
    for (const auto& host : settings.effective.denyHosts) {
        rules.push_back({host.value, false, scopeOf(host.source), host.source});
    }
    return rules;
}

Result<SessionRules> sessionRules(const std::vector<std::string>& allowedHosts,
                                  const std::vector<NetworkRule>& settings,
                                  const policy::ResolvedProfile& profile, const ToolConfiguration& tools)
{
    std::vector<NetworkRule> rules;
    addAllowed(profile.modelHosts, tools, rules);
    SessionRules result;
    REVET_ASSIGN_OR_RETURN(result.model, policy::NetworkRules::compile(rules));
    addAllowed(profile.hosts, tools, rules);
    addAllowed(profile.loginHosts, tools, rules);
    for (const auto& host : profile.denyHosts) {
        rules.push_back(ruleOf(host, host.value, false));
    }
    for (const std::string& host : allowedHosts) {
        rules.push_back({host, true, RuleScope::Session, "--allow-host"});
    }
    rules.insert(rules.end(), settings.begin(), settings.end());
    REVET_ASSIGN_OR_RETURN(result.network, policy::NetworkRules::compile(rules));
    return result;
}

} // namespace revet::session
