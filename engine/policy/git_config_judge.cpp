// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/git_config.h"

#include <algorithm>
#include <array>
#include <set>

namespace revet::policy {

namespace {

using Resolver = std::function<bool(std::string_view)>;

/// What a value must be for its key to be harmless.
enum class ValueRule : std::uint8_t {
    Anything, ///< no program is named by it, whatever it says
    Url, ///< a transport that runs nothing, or a path
    InsideProject,
    TagOption,
    SubmoduleUpdate,
};

struct HarmlessKey
{
    std::string_view section;
    std::string_view name;
    ValueRule rule = ValueRule::Anything;
};

/// Keys without a subsection.
constexpr std::array kPlainKeys = {
    HarmlessKey{"core", "repositoryformatversion"},
    HarmlessKey{"core", "filemode"},
    HarmlessKey{"core", "bare"},
    HarmlessKey{"core", "logallrefupdates"},
    HarmlessKey{"core", "ignorecase"},
    HarmlessKey{"core", "precomposeunicode"},
    HarmlessKey{"core", "symlinks"},
    HarmlessKey{"core", "worktree", ValueRule::InsideProject},
    HarmlessKey{"extensions", "worktreeconfig"},
    HarmlessKey{"extensions", "objectformat"},
    HarmlessKey{"extensions", "partialclone"},
    HarmlessKey{"user", "name"},
    HarmlessKey{"user", "email"},
    HarmlessKey{"init", "defaultbranch"},
    HarmlessKey{"pull", "rebase"},
    HarmlessKey{"pull", "ff"},
    HarmlessKey{"push", "default"},
    HarmlessKey{"push", "autosetupremote"},
    HarmlessKey{"fetch", "prune"},
    // What `git clone --recurse-submodules` writes: a pathspec.
    HarmlessKey{"submodule", "active"},
};

/// Keys with a subsection. A branch's remote may also be a URL, and git then fetches from it.
constexpr std::array kNamedKeys = {
    HarmlessKey{"branch", "remote", ValueRule::Url},
    HarmlessKey{"branch", "merge"},
    HarmlessKey{"branch", "rebase"},
    HarmlessKey{"branch", "pushremote", ValueRule::Url},
    HarmlessKey{"remote", "url", ValueRule::Url},
    HarmlessKey{"remote", "pushurl", ValueRule::Url},
    HarmlessKey{"remote", "fetch"},
    HarmlessKey{"remote", "tagopt", ValueRule::TagOption},
    HarmlessKey{"remote", "prune"},
    HarmlessKey{"remote", "promisor"},
    HarmlessKey{"remote", "partialclonefilter"},
    HarmlessKey{"submodule", "url", ValueRule::Url},
    HarmlessKey{"submodule", "active"},
    HarmlessKey{"submodule", "branch"},
    HarmlessKey{"submodule", "update", ValueRule::SubmoduleUpdate},
};

bool hasControlByte(std::string_view text)
{
    return std::any_of(text.begin(), text.end(), [](char byte) {
        const auto value = static_cast<unsigned char>(byte);
        return value < 0x20 || value == 0x7f;
    });
}

/// Whether the host part of "[user@]host[:port]" could be read as an option by ssh.
bool hostLooksLikeOption(std::string_view authority)
{
    const std::size_t at = authority.rfind('@');
    const std::string_view host = at == std::string_view::npos ? authority : authority.substr(at + 1);
    return authority.starts_with('-') || host.starts_with('-');
}

bool isHarmlessUrl(std::string_view url)
{
    // "::" names a remote helper (ext::sh -c …), also behind something that looks like a scheme.
    if (url.empty() || url.starts_with('-') || url.find("::") != std::string_view::npos
        || hasControlByte(url)) {
        return false;
    }
    const std::size_t scheme = url.find("://");
    if (scheme != std::string_view::npos && url.substr(0, scheme).find('/') == std::string_view::npos) {
        constexpr std::array<std::string_view, 5> kSchemes = {"https", "http", "ssh", "git", "file"};
        const std::string_view rest = url.substr(scheme + 3);
        return std::find(kSchemes.begin(), kSchemes.end(), url.substr(0, scheme)) != kSchemes.end()
            && !hostLooksLikeOption(rest.substr(0, rest.find('/')));
    }
    // "host:path" goes to ssh when the colon comes before the first slash.
    const std::size_t colon = url.find(':');
    return colon == std::string_view::npos || colon > url.find('/')
        || !hostLooksLikeOption(url.substr(0, colon));
}

bool obeys(const GitConfigEntry& entry, ValueRule rule, const Resolver& resolvesInsideProject)
{
    const std::string_view value = entry.value;
    switch (rule) {
    case ValueRule::Anything:
        return true;
    case ValueRule::Url:
        return entry.hasValue && isHarmlessUrl(value);
    case ValueRule::InsideProject:
        return !value.empty() && !value.starts_with('/') && !value.starts_with('~') && !value.starts_with('%')
            && !hasControlByte(value) && resolvesInsideProject && resolvesInsideProject(value);
    case ValueRule::TagOption:
        return value == "--tags" || value == "--no-tags";
    case ValueRule::SubmoduleUpdate:
        return value == "checkout" || value == "rebase" || value == "merge" || value == "none";
    }
    return false;
}

bool isHarmless(const GitConfigEntry& entry, const Resolver& resolvesInsideProject)
{
    const std::string_view key = entry.key;
    const std::size_t sectionEnd = key.find('.');
    const std::size_t nameBegin = key.rfind('.') + 1;
    const std::string_view section = key.substr(0, sectionEnd);
    const std::string_view name = key.substr(nameBegin);
    const auto isIt = [&](const HarmlessKey& known) {
        return known.section == section && known.name == name
            && obeys(entry, known.rule, resolvesInsideProject);
    };
    if (nameBegin == sectionEnd + 1) {
        return std::any_of(kPlainKeys.begin(), kPlainKeys.end(), isIt);
    }
    // The subsection becomes an argument of other programs (a remote's name), a path below .git/modules/.
    const std::string_view subsection = key.substr(sectionEnd + 1, nameBegin - sectionEnd - 2);
    if (subsection.empty() || subsection.starts_with('-') || hasControlByte(subsection)) {
        return false;
    }
    return std::any_of(kNamedKeys.begin(), kNamedKeys.end(), isIt);
}

std::string describe(const GitConfigEntry& entry)
{
    return entry.hasValue ? entry.key + " = " + entry.value : entry.key;
}

using Entries = std::vector<GitConfigEntry>;

/// The entries that only the host may have written, in their order.
Entries grave(Entries entries, const Resolver& resolvesInsideProject)
{
    std::erase_if(entries,
                  [&](const GitConfigEntry& entry) { return isHarmless(entry, resolvesInsideProject); });
    return entries;
}

} // namespace

GitConfigVerdict judgeGitConfig(std::string_view before, std::string_view after,
                                const std::function<bool(std::string_view)>& resolvesInsideProject)
{
    if (before == after) {
        return {true, {}};
    }
    auto parsedAfter = parseGitConfig(after);
    if (!parsedAfter) {
        return {false, parsedAfter.error().context};
    }
    // What we cannot read of the host's own file counts as absent: then nothing in the new one is excused.
    auto parsedBefore = parseGitConfig(before);
    // Git writes it first of all and never takes it away: without it the file was emptied, and is no
    // repository's any more.
    const auto names = [](const Entries& entries, std::string_view key) {
        return std::any_of(entries.begin(), entries.end(),
                           [key](const GitConfigEntry& entry) { return entry.key == key; });
    };
    constexpr std::string_view kFormat = "core.repositoryformatversion";
    if (parsedBefore && names(*parsedBefore, kFormat) && !names(*parsedAfter, kFormat)) {
        return {false, std::string(kFormat) + " (it went away)"};
    }
    const Entries now = grave(std::move(*parsedAfter), resolvesInsideProject);
    Entries earlier = parsedBefore ? std::move(*parsedBefore) : Entries{};

    for (const GitConfigEntry& entry : now) {
        if (std::find(earlier.begin(), earlier.end(), entry) == earlier.end()) {
            return {false, describe(entry)};
        }
    }
    // The last of several values wins, some keys are lists that an empty value resets, and an include takes
    // its place among them: so what stays must stay whole and in its order. A key that goes away altogether
    // leaves git's default or the user's own setting.
    std::set<std::string_view> kept;
    for (const GitConfigEntry& entry : now) {
        kept.insert(entry.key);
    }
    std::erase_if(earlier, [&](const GitConfigEntry& entry) { return !kept.contains(entry.key); });
    if (now != grave(std::move(earlier), resolvesInsideProject)) {
        return {false, describe(now.front()) + " (its order or number changed)"};
    }
    return {true, {}};
}

} // namespace revet::policy
