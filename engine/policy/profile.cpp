// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/profile.h"

#include "engine/policy/compiled_toml.h"
#include "engine/policy/environment.h"
#include "engine/policy/network_rules.h"
#include "engine/policy/path_pattern.h"
#include "engine/policy/text_rules.h"
#include "engine/policy/toml_text.h"
#include "engine/policy/tool_hosts.h"

#include <algorithm>
#include <set>

namespace revet::policy {

namespace {

/// A path below HOME that names one place: what is bound must not depend on what happens to match.
bool isHomePath(std::string_view text)
{
    return text.starts_with("~/") && text.size() > 2 && isPlainPath(text)
        && text.find_first_of("*?[]{}") == std::string_view::npos;
}

bool isAllowable(std::string_view text)
{
    const std::string rule(text);
    return isHostToken(text) || NetworkRules::compile({&rule, 1}).has_value();
}

bool isDeniable(std::string_view text)
{
    const std::string rule(text);
    return NetworkRules::compile({}, {&rule, 1}).has_value();
}

bool isArgument(std::string_view text)
{
    return !text.empty() && text.find('\0') == std::string_view::npos;
}

/// "/etc/NAME/…": a directory of the program's own, never one of the system's files.
bool isManagedPath(std::string_view text)
{
    constexpr std::string_view kPlace = "/etc/";
    return text.starts_with(kPlace) && isPlainPath(text) && !text.ends_with('/')
        && text.find("//") == std::string_view::npos && text.find("/./") == std::string_view::npos
        && text.find('/', kPlace.size()) != std::string_view::npos;
}

bool isNameGlob(std::string_view text)
{
    return !text.empty() && text.find('/') == std::string_view::npos
        && NamePattern::compile(text).has_value();
}

bool isNote(std::string_view text)
{
    return !text.empty();
}

bool matchesAny(const std::vector<std::string>& globs, std::string_view name)
{
    return std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
        const auto pattern = NamePattern::compile(glob);
        return pattern && pattern->matches(name);
    });
}

struct Field
{
    std::string_view key;
    std::vector<std::string> Profile::*values;
    bool (*isValid)(std::string_view);
    std::string_view rule; ///< what isValid wants, for the message
};

constexpr std::string_view kHomeRule = "write ~/ and a path without wildcards and ..";
constexpr std::string_view kHostRule
    = "write HOST[:PORT], an address or a network to reach, or a token such as $npm-registry";

const Field kFields[] = {
    {"extends", &Profile::extends, isProfileName, "write the name of a profile"},
    {"exe", &Profile::exe, isNameGlob, "write the name of a command"},
    {"detect", &Profile::detect, isNameGlob, "write the name of a file in a project's root"},
    {"visible", &Profile::visible, isHomePath, kHomeRule},
    {"settings", &Profile::settings, isHomePath, kHomeRule},
    {"cache", &Profile::cache, isHomePath, kHomeRule},
    {"state", &Profile::state, isHomePath, kHomeRule},
    {"pass", &Profile::pass, isNameGlob, "write the name of a variable"},
    {"hosts", &Profile::hosts, isAllowable, kHostRule},
    {"model_hosts", &Profile::modelHosts, isAllowable, kHostRule},
    {"login_hosts", &Profile::loginHosts, isAllowable, kHostRule},
    {"deny_hosts", &Profile::denyHosts, isDeniable, "write HOST[:PORT], an address or a network"},
    {"arguments", &Profile::arguments, isArgument, "write an argument"},
    {"notes", &Profile::notes, isNote, "write a sentence"},
};

Result<Profile> readProfile(const std::string& name, std::string_view text)
{
    const std::string file = name + ".toml";
    if (!isProfileName(name)) {
        return failAtLine(file, 1, "a profile's name has small letters, digits and dashes");
    }
    REVET_ASSIGN_OR_RETURN(const auto root, parseToml(text, file));
    const TomlReader reader(root, file);
    const bool isOurs = isCompiledToml(text);
    REVET_RETURN_IF_ERROR(reader.allowOnly({"description", "extends", "exe", "detect", "visible", "settings",
                                            "cache", "state", "pass", "hosts", "model_hosts", "login_hosts",
                                            "deny_hosts", "arguments", "notes", "set", "managed"}));
    Profile profile;
    profile.name = name;
    REVET_ASSIGN_OR_RETURN(profile.description, reader.text("description"));
    for (const Field& field : kFields) {
        REVET_ASSIGN_OR_RETURN(auto values, reader.texts(field.key));
        // Those of Revet's own have been looked at by its tests, and each start reads all of them.
        const bool isKnown = isOurs && (field.isValid == isAllowable || field.isValid == isDeniable);
        const auto bad
            = isKnown ? values.end() : std::find_if_not(values.begin(), values.end(), field.isValid);
        if (bad != values.end()) {
            return reader.failAt(field.key,
                                 std::string(field.key) + ": '" + *bad + "': " + std::string(field.rule));
        }
        profile.*field.values = std::move(values);
    }
    REVET_ASSIGN_OR_RETURN(profile.set, reader.pairs("set"));
    for (const auto& [variable, value] : profile.set) {
        if (!isEnvironmentName(variable) || value.find('\0') != std::string::npos) {
            return reader.failAt("set", "set: '" + variable + "' is no name of a variable");
        }
    }
    REVET_ASSIGN_OR_RETURN(profile.managed, reader.pairs("managed"));
    for (const auto& [path, content] : profile.managed) {
        if (!isManagedPath(path)) {
            return reader.failAt("managed",
                                 "managed: '" + path + "': write a file below a directory of /etc");
        }
    }
    return profile;
}

/// A profile that denies what it allows means something else than it says.
Result<void> checkHosts(const ResolvedProfile& profile)
{
    std::vector<std::string> allowed;
    for (const SourcedTexts* hosts : {&profile.hosts, &profile.modelHosts, &profile.loginHosts}) {
        for (const auto& host : *hosts) {
            if (!isHostToken(host.value)) {
                allowed.push_back(host.value);
            }
        }
    }
    if (allowed.empty()) {
        return {};
    }
    std::vector<std::string> denied;
    for (const auto& host : profile.denyHosts) {
        denied.push_back(host.value);
    }
    const auto rules = NetworkRules::compile(allowed, denied);
    return rules ? Result<void>()
                 : failAtLine(profile.name + ".toml", 1,
                              rules.error().operation + ": " + rules.error().context + " in deny_hosts");
}

} // namespace

Result<ProfileSet> ProfileSet::load(const std::vector<std::pair<std::string, std::string>>& texts)
{
    ProfileSet set;
    std::set<std::string> persons;
    for (const auto& [name, text] : texts) {
        REVET_ASSIGN_OR_RETURN(auto profile, readProfile(name, text));
        if (!isCompiledToml(text)) {
            persons.insert(name);
        }
        set.m_profiles.insert_or_assign(name, std::move(profile));
    }
    if (persons.empty()) {
        return set; // tests have looked at Revet's own
    }
    for (const auto& [name, profile] : set.m_profiles) {
        REVET_ASSIGN_OR_RETURN(const ResolvedProfile resolved, set.resolve(name));
        if (persons.contains(name)) {
            REVET_RETURN_IF_ERROR(checkHosts(resolved));
        }
    }
    return set;
}

Result<void> ProfileSet::addTo(ResolvedProfile* resolved, std::string_view name,
                               std::vector<std::string>* open) const
{
    const auto found = m_profiles.find(std::string(name));
    if (found == m_profiles.end()) {
        const std::string by = open->empty() ? "" : " that " + open->back() + " extends";
        return fail(ErrorCode::NotFound, "find the profile '" + std::string(name) + "'" + by,
                    "see revet profile list");
    }
    if (std::find(open->begin(), open->end(), name) != open->end()) {
        std::string chain;
        for (const std::string& step : *open) {
            chain += step + " -> ";
        }
        return fail(ErrorCode::Malformed, "resolve the profile '" + open->front() + "'",
                    "it extends itself: " + chain + std::string(name));
    }
    const Profile& profile = found->second;
    // What a profile says itself comes before what it extends, so the nearer word wins.
    addMissing(&resolved->visible, profile.visible, profile.name);
    addMissing(&resolved->settings, profile.settings, profile.name);
    addMissing(&resolved->cache, profile.cache, profile.name);
    addMissing(&resolved->state, profile.state, profile.name);
    addMissing(&resolved->pass, profile.pass, profile.name);
    addMissing(&resolved->hosts, profile.hosts, profile.name);
    addMissing(&resolved->modelHosts, profile.modelHosts, profile.name);
    addMissing(&resolved->loginHosts, profile.loginHosts, profile.name);
    addMissing(&resolved->denyHosts, profile.denyHosts, profile.name);
    addMissing(&resolved->notes, profile.notes, profile.name);
    for (const auto& [variable, value] : profile.set) {
        resolved->set.try_emplace(variable, Sourced<std::string>{value, profile.name});
    }
    for (const auto& [path, content] : profile.managed) {
        resolved->managed.try_emplace(path, Sourced<std::string>{content, profile.name});
    }
    open->push_back(profile.name);
    for (const std::string& parent : profile.extends) {
        REVET_RETURN_IF_ERROR(addTo(resolved, parent, open));
    }
    open->pop_back();
    return {};
}

Result<ResolvedProfile> ProfileSet::resolve(std::string_view name) const
{
    return resolve(std::vector<std::string>{std::string(name)});
}

Result<ResolvedProfile> ProfileSet::resolve(const std::vector<std::string>& names) const
{
    ResolvedProfile resolved;
    for (const std::string& name : names) {
        std::vector<std::string> open;
        REVET_RETURN_IF_ERROR(addTo(&resolved, name, &open));
        const auto isOfIt = [&name](const auto& argument) { return argument.source == name; };
        if (std::ranges::none_of(resolved.arguments, isOfIt)) { // else it was named twice
            for (const std::string& argument : m_profiles.at(name).arguments) {
                resolved.arguments.push_back({argument, name});
            }
        }
        resolved.name.append(resolved.name.empty() ? "" : "+").append(name);
        if (resolved.description.empty()) {
            resolved.description = m_profiles.at(name).description;
        }
    }
    return resolved;
}

bool ProfileSet::isCommandOf(std::string_view name, std::string_view command) const
{
    const auto found = m_profiles.find(std::string(name));
    return found != m_profiles.end() && matchesAny(found->second.exe, command);
}

std::vector<std::string> ProfileSet::detect(std::string_view command,
                                            const std::vector<std::string>& rootEntries) const
{
    std::vector<std::string> names;
    for (const auto& [name, profile] : m_profiles) {
        const auto isThere
            = [&, globs = &profile.detect](const std::string& entry) { return matchesAny(*globs, entry); };
        if (matchesAny(profile.exe, command)
            || std::any_of(rootEntries.begin(), rootEntries.end(), isThere)) {
            names.push_back(name);
        }
    }
    return names;
}

} // namespace revet::policy
