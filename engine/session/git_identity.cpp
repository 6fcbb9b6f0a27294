// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/git_identity.h"

#include "engine/policy/git_rules.h"

#include <algorithm>
#include <array>

namespace revet::session {

namespace {

/// Sections whose keys are preferences only. "core" has too many that run programs, so its keys are named.
constexpr std::array<std::string_view, 13> kSections
    = {"user.",   "color.",  "column.", "branch.", "pull.", "push.",  "fetch.",
       "rebase.", "rerere.", "advice.", "init.",   "log.",  "status."};
constexpr std::array<std::string_view, 12> kKeys
    = {"core.abbrev",         "core.autocrlf",   "core.eol",      "core.filemode",  "core.ignorecase",
       "core.quotepath",      "core.whitespace", "core.safecrlf", "diff.algorithm", "diff.renames",
       "merge.conflictstyle", "merge.ff"};
constexpr std::array<std::string_view, 3> kNever = {"user.signingkey", "init.templatedir", "push.gpgsign"};

bool isKept(const policy::GitConfigEntry& entry)
{
    if (std::find(kNever.begin(), kNever.end(), entry.key) != kNever.end()) {
        return false;
    }
    if (entry.key.starts_with("alias.")) {
        return !entry.value.starts_with('!');
    }
    return std::find(kKeys.begin(), kKeys.end(), entry.key) != kKeys.end()
        || std::any_of(kSections.begin(), kSections.end(),
                       [&](std::string_view section) { return entry.key.starts_with(section); });
}

std::string quoted(std::string_view text)
{
    std::string result = "\"";
    for (const char c : text) {
        if (c == '\n') {
            result += "\\n";
            continue;
        }
        if (c == '"' || c == '\\') {
            result += '\\';
        }
        result += c;
    }
    return result + '"';
}

void appendEntry(const policy::GitConfigEntry& entry, std::string& config)
{
    const std::size_t first = entry.key.find('.');
    const std::size_t last = entry.key.rfind('.');
    config += "[" + entry.key.substr(0, first);
    if (last > first) {
        config += " " + quoted(entry.key.substr(first + 1, last - first - 1));
    }
    config += "]\n\t" + entry.key.substr(last + 1);
    config += entry.hasValue ? " = " + quoted(entry.value) + "\n" : "\n";
}

} // namespace

GitIdentity sanitiseGitConfig(std::string_view userConfig)
{
    GitIdentity identity;
    const auto entries = policy::parseGitConfig(userConfig);
    if (!entries) {
        if (!userConfig.empty()) {
            identity.droppedKeys.emplace_back("all: the file could not be read with certainty");
        }
        return identity;
    }
    for (const policy::GitConfigEntry& entry : *entries) {
        if (isKept(entry)) {
            appendEntry(entry, identity.config);
            continue;
        }
        identity.droppedKeys.push_back(entry.key);
        const bool isOn
            = !entry.hasValue || entry.value == "true" || entry.value == "1" || entry.value == "yes";
        if ((entry.key == "commit.gpgsign" || entry.key == "tag.gpgsign") && isOn) {
            identity.droppedSigning = true;
        }
    }
    return identity;
}

} // namespace revet::session
