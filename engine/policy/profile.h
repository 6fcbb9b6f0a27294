// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/policy/sourced.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace revet::policy {

/// What a known toolchain or agent needs, as one file of resources/profiles says it.
struct Profile
{
    std::string name; ///< the file's name without .toml
    std::string description;
    std::vector<std::string> extends;
    std::vector<std::string> exe; ///< names of commands, globs
    std::vector<std::string> detect; ///< names in the project's root, globs
    std::vector<std::string> visible; ///< "~/…": read-only in the box
    std::vector<std::string> settings; ///< "~/…": a file of which the box has a copy without secrets
    std::vector<std::string> cache; ///< "~/…": read-only below a private upper layer
    std::vector<std::string> state; ///< "~/…": kept per user, shared by that user's projects
    std::vector<std::string> pass; ///< names of variables, globs
    std::vector<std::pair<std::string, std::string>> set; ///< variables that the box gets; "$token" as below
    std::vector<std::string> hosts; ///< "HOST[:PORT]", or a token, see tool_hosts.h
    std::vector<std::string> modelHosts; ///< where an agent's model answers
    std::vector<std::string> loginHosts; ///< where its user logs in
    std::vector<std::string> denyHosts; ///< refused without a question; also networks
    std::vector<std::string> arguments; ///< for the commands of `exe`, before their own
    std::vector<std::pair<std::string, std::string>> managed; ///< files of /etc: path and content
    std::vector<std::string> notes; ///< for people
};

/// A profile with what it extends. A value's source is the name of the profile that brought it; `exe`,
/// `detect` and `arguments` are not inherited.
struct ResolvedProfile
{
    std::string name;
    std::string description;
    SourcedTexts visible;
    SourcedTexts settings;
    SourcedTexts cache;
    SourcedTexts state;
    SourcedTexts pass;
    std::map<std::string, Sourced<std::string>> set;
    SourcedTexts hosts;
    SourcedTexts modelHosts;
    SourcedTexts loginHosts;
    SourcedTexts denyHosts;
    SourcedTexts arguments;
    std::map<std::string, Sourced<std::string>> managed;
    SourcedTexts notes;
};

/// All profiles by name. Immutable, thread-safe.
class ProfileSet
{
public:
    /// Each pair is (name, text of the file); a later one replaces an earlier one of the same name, so that a
    /// person's own profiles win. Fails with file and line on anything unknown or malformed; whether what is
    /// extended exists and ends somewhere, and whether a profile denies what it allows, is checked here too.
    [[nodiscard]] static Result<ProfileSet>
    load(const std::vector<std::pair<std::string, std::string>>& texts);

    [[nodiscard]] const std::map<std::string, Profile>& profiles() const { return m_profiles; }
    [[nodiscard]] Result<ResolvedProfile> resolve(std::string_view name) const;
    /// Several at once, as one: the earlier ones win where they disagree.
    [[nodiscard]] Result<ResolvedProfile> resolve(const std::vector<std::string>& names) const;
    /// Whether a command is one of those that a profile is about.
    [[nodiscard]] bool isCommandOf(std::string_view name, std::string_view command) const;
    /// The profiles that a command's name or the entries of a project's root call for, in the order of names.
    [[nodiscard]] std::vector<std::string> detect(std::string_view command,
                                                  const std::vector<std::string>& rootEntries) const;

private:
    [[nodiscard]] Result<void> addTo(ResolvedProfile* resolved, std::string_view name,
                                     std::vector<std::string>* open) const;

    std::map<std::string, Profile> m_profiles;
};

} // namespace revet::policy
