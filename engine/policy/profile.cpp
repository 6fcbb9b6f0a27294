// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/profile.h"

#include "engine/policy/environment.h"
#include "engine/policy/path_pattern.h"
#include "engine/policy/text_rules.h"
#include "engine/policy/toml_text.h"

#include <algorithm>

namespace revet::policy {

namespace {

/// A path below HOME that names one place: what is bound must not depend on what happens to match.
bool isHomePath(std::string_view text)
{
    return text.starts_with("~/") && text.size() > 2 && isPlainPath(text)
        && text.find_first_of("*?[]{}") == std::string_view::npos;
}

/// A host, or a token for the hosts that the tool's own configuration names.
bool isHostOrToken(std::string_view text)
{
    return isHostRule(text) || (text.starts_with('$') && isProfileName(text.substr(1)));
}

/// Also "10.0.0.0/8".
bool isHostOrNetwork(std::string_view text)
{
    const std::size_t slash = text.find('/');
    const std::string_view bits = slash == std::string_view::npos ? "0" : text.substr(slash + 1);
    const std::string_view address = text.substr(0, slash);
    const bool isAddress
        = !address.empty() && address.find_first_not_of("0123456789abcdefABCDEF:.") == std::string_view::npos;
    return isHostOrToken(text)
        || (isAddress && !bits.empty() && bits.size() <= 3
            && bits.find_first_not_of("0123456789") == std::string_view::npos);
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

struct Field
{
    std::string_view key;
    std::vector<std::string> Profile::*values;
    bool (*isValid)(std::string_view);
    std::string_view rule; ///< what isValid wants, for the message
};

constexpr std::string_view kHomeRule = "write ~/ and a path without wildcards and ..";
constexpr std::string_view kHostRule = "write HOST, HOST:PORT or a token such as $npm-registry";

const Field kFields[] = {
    {"extends", &Profile::extends, isProfileName, "write the name of a profile"},
    {"exe", &Profile::exe, isNameGlob, "write the name of a command"},
    {"detect", &Profile::detect, isNameGlob, "write the name of a file in a project's root"},
    {"visible", &Profile::visible, isHomePath, kHomeRule},
    {"cache", &Profile::cache, isHomePath, kHomeRule},
    {"state", &Profile::state, isHomePath, kHomeRule},
    {"pass", &Profile::pass, isNameGlob, "write the name of a variable"},
    {"hosts", &Profile::hosts, isHostOrToken, kHostRule},
    {"ask_hosts", &Profile::askHosts, isHostOrToken, kHostRule},
    {"deny_hosts", &Profile::denyHosts, isHostOrNetwork, "write HOST, HOST:PORT or a network"},
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
    REVET_RETURN_IF_ERROR(
        reader.allowOnly({"description", "extends", "exe", "detect", "visible", "cache", "state", "pass",
                          "hosts", "ask_hosts", "deny_hosts", "notes", "set"}));
    Profile profile;
    profile.name = name;
    REVET_ASSIGN_OR_RETURN(profile.description, reader.text("description"));
    for (const Field& field : kFields) {
        REVET_ASSIGN_OR_RETURN(auto values, reader.texts(field.key));
        const auto bad = std::find_if_not(values.begin(), values.end(), field.isValid);
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
    return profile;
}

} // namespace

Result<ProfileSet> ProfileSet::load(const std::vector<std::pair<std::string, std::string>>& texts)
{
    ProfileSet set;
    for (const auto& [name, text] : texts) {
        REVET_ASSIGN_OR_RETURN(auto profile, readProfile(name, text));
        set.m_profiles.insert_or_assign(name, std::move(profile));
    }
    for (const auto& [name, profile] : set.m_profiles) {
        if (auto resolved = set.resolve(name); !resolved) {
            return fail(resolved.error());
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
    addMissing(&resolved->cache, profile.cache, profile.name);
    addMissing(&resolved->state, profile.state, profile.name);
    addMissing(&resolved->pass, profile.pass, profile.name);
    addMissing(&resolved->hosts, profile.hosts, profile.name);
    addMissing(&resolved->askHosts, profile.askHosts, profile.name);
    addMissing(&resolved->denyHosts, profile.denyHosts, profile.name);
    addMissing(&resolved->notes, profile.notes, profile.name);
    for (const auto& [variable, value] : profile.set) {
        resolved->set.try_emplace(variable, Sourced<std::string>{value, profile.name});
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
        resolved.name.append(resolved.name.empty() ? "" : "+").append(name);
        if (resolved.description.empty()) {
            resolved.description = m_profiles.at(name).description;
        }
    }
    return resolved;
}

std::vector<std::string> ProfileSet::detect(std::string_view command,
                                            const std::vector<std::string>& rootEntries) const
{
    const auto matchesAny = [](const std::vector<std::string>& globs, std::string_view name) {
        return std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
            const auto pattern = NamePattern::compile(glob);
            return pattern && pattern->matches(name);
        });
    };
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
