// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/git_object.h"

#include "engine/policy/git_config.h"
#include "engine/policy/git_rules.h"
#include "engine/policy/path_pattern.h"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace revet::policy {

namespace {

constexpr std::size_t kIdBytes = 20;

tl::unexpected<Error> malformed(std::string what)
{
    return fail(ErrorCode::Malformed, "read a git object", std::move(what));
}

bool isHex(char byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f');
}

bool isDigit(char byte)
{
    return byte >= '0' && byte <= '9';
}

std::string idOf(std::string_view hex)
{
    std::string id;
    const auto digit = [](char byte) { return isDigit(byte) ? byte - '0' : byte - 'a' + 10; };
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
        id.push_back(static_cast<char>(digit(hex[i]) * 16 + digit(hex[i + 1])));
    }
    return id;
}

/// Without the characters that HFS+ does not see, which git refuses as well.
std::string withoutIgnored(std::string_view name)
{
    std::string text;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const std::string_view next = name.substr(i, 3);
        const auto at = [&next](std::size_t index) { return static_cast<unsigned char>(next[index]); };
        const bool isWide = next.size() == 3;
        const bool isIgnored = isWide
            && ((at(0) == 0xe2 && at(1) == 0x80
                 && ((at(2) >= 0x8c && at(2) <= 0x8f) || (at(2) >= 0xaa && at(2) <= 0xae)))
                || (at(0) == 0xe2 && at(1) == 0x81 && at(2) >= 0xaa && at(2) <= 0xaf)
                || (at(0) == 0xef && at(1) == 0xbb && at(2) == 0xbf));
        if (isIgnored) {
            i += 2;
        } else {
            text.push_back(name[i]);
        }
    }
    return text;
}

bool isDotGit(std::string_view name)
{
    GitSplit split;
    return isBelowGitdir(withoutIgnored(name), &split);
}

/// Also in the spellings of file systems that fold names, short names of ntfs included.
bool isModulesFile(std::string_view name)
{
    std::string text = withoutIgnored(name.substr(0, name.find(':')));
    while (text.ends_with('.') || text.ends_with(' ')) {
        text.pop_back();
    }
    std::ranges::transform(text, text.begin(), [](char byte) {
        return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : byte;
    });
    return text == ".gitmodules" || text.starts_with("gitmod~") || text.starts_with("gi7eba~");
}

/// As git orders them: a directory's name ends with a slash.
bool isBefore(std::string_view one, bool isOneTree, std::string_view other, bool isOtherTree)
{
    const auto key = [](std::string_view name, bool isTree, std::size_t index) {
        return index < name.size() ? static_cast<unsigned char>(name[index])
                                   : (isTree && index == name.size() ? std::uint8_t{'/'} : std::uint8_t{0});
    };
    const std::size_t common = std::min(one.size(), other.size());
    const int order = one.substr(0, common).compare(other.substr(0, common));
    return order != 0 ? order < 0 : key(one, isOneTree, common) < key(other, isOtherTree, common);
}

Result<std::vector<GitLink>> readTree(std::string_view bytes)
{
    std::vector<GitLink> links;
    std::unordered_set<std::string_view> names;
    std::string_view before;
    bool isBeforeTree = false;
    while (!bytes.empty()) {
        const std::size_t space = std::min(bytes.find(' '), bytes.size());
        const std::size_t end = bytes.find('\0');
        if (end == std::string_view::npos || space > end || bytes.size() - end - 1 < kIdBytes) {
            return malformed("a tree that is cut short");
        }
        const std::string_view mode = bytes.substr(0, space);
        const std::string_view name = bytes.substr(space + 1, end - space - 1);
        const std::string_view id = bytes.substr(end + 1, kIdBytes);
        constexpr std::array<std::string_view, 5> kModes = {"40000", "100644", "100755", "120000", "160000"};
        if (std::ranges::find(kModes, mode) == kModes.end()) {
            return malformed("a tree's entry with another mode than git has");
        }
        if (name.empty() || name == "." || name == ".." || name.find('/') != std::string_view::npos
            || isDotGit(name)) {
            return malformed("a tree's entry with a name that leads elsewhere");
        }
        const bool isTree = mode == "40000";
        if (!names.insert(name).second
            || (!before.empty() && !isBefore(before, isBeforeTree, name, isTree))) {
            return malformed("a tree that is not in order");
        }
        if (isModulesFile(name) && !mode.starts_with("100")) {
            return malformed("a .gitmodules that is no file");
        }
        if (std::ranges::all_of(id, [](char byte) { return byte == '\0'; })) {
            return malformed("a tree's entry without an object");
        }
        if (mode != "160000") {
            links.push_back(
                {std::string(id), isTree ? GitObjectType::Tree : GitObjectType::Blob, isModulesFile(name)});
        }
        before = name;
        isBeforeTree = isTree;
        bytes.remove_prefix(end + 1 + kIdBytes);
    }
    return links;
}

/// The lines of a commit or a tag, one after the other.
class Header
{
public:
    explicit Header(std::string_view bytes)
        : m_rest(bytes)
    {
    }
    /// The value of the next line if it is of this key.
    std::string_view take(std::string_view key)
    {
        const std::size_t end = m_rest.find('\n');
        const bool isKey = end != std::string_view::npos && m_rest.starts_with(key) && end > key.size()
            && m_rest[key.size()] == ' ';
        if (!isKey) {
            return {};
        }
        const std::string_view value = m_rest.substr(key.size() + 1, end - key.size() - 1);
        m_rest.remove_prefix(end + 1);
        return value;
    }
    /// The 20 bytes of the next line's id; empty where there is none.
    std::string takeId(std::string_view key)
    {
        const std::string_view hex = take(key);
        return hex.size() == 2 * kIdBytes && std::ranges::all_of(hex, isHex) ? idOf(hex) : std::string();
    }
    [[nodiscard]] bool isNext(std::string_view key) const { return m_rest.starts_with(key); }

private:
    std::string_view m_rest;
};

/// "Name <mail> 1700000000 +0100"
bool isIdentity(std::string_view text)
{
    const std::size_t mail = text.find_first_of("<>");
    const std::size_t end = mail == std::string_view::npos ? mail : text.find_first_of("<>", mail + 1);
    if (mail == 0 || end == std::string_view::npos || text[mail] != '<' || text[mail - 1] != ' '
        || text[end] != '>' || text.substr(end + 1, 1) != " ") {
        return false;
    }
    const std::string_view time = text.substr(end + 2);
    const std::size_t space = time.find(' ');
    constexpr std::size_t kMostDigits = 18; // below 2^63
    if (space == std::string_view::npos || space == 0 || space > kMostDigits
        || !std::ranges::all_of(time.substr(0, space), isDigit) || (time[0] == '0' && space != 1)) {
        return false;
    }
    const std::string_view zone = time.substr(space + 1);
    return zone.size() == 5 && (zone[0] == '+' || zone[0] == '-')
        && std::ranges::all_of(zone.substr(1), isDigit);
}

/// Whether the lines above the message end, and hold no NUL.
bool hasHeader(std::string_view bytes)
{
    const std::size_t end = bytes.find("\n\n");
    return bytes.substr(0, end).find('\0') == std::string_view::npos
        && (end != std::string_view::npos || bytes.ends_with('\n'));
}

Result<std::vector<GitLink>> readCommit(std::string_view bytes)
{
    Header header(bytes);
    std::vector<GitLink> links{{header.takeId("tree"), GitObjectType::Tree, false}};
    while (header.isNext("parent ")) {
        links.push_back({header.takeId("parent"), GitObjectType::Commit, false});
    }
    const bool hasIds = std::ranges::none_of(links, [](const GitLink& link) { return link.id.empty(); });
    if (!hasHeader(bytes) || !hasIds || !isIdentity(header.take("author"))
        || !isIdentity(header.take("committer"))) {
        return malformed("a commit that git would not read");
    }
    return links;
}

Result<std::vector<GitLink>> readTag(std::string_view bytes)
{
    Header header(bytes);
    const std::string id = header.takeId("object");
    const std::string_view type = header.take("type");
    constexpr std::array<std::string_view, 4> kTypes = {"commit", "tree", "blob", "tag"};
    const auto* const found = std::ranges::find(kTypes, type);
    if (!hasHeader(bytes) || id.empty() || found == kTypes.end() || header.take("tag").empty()
        || (header.isNext("tagger ") && !isIdentity(header.take("tagger")))) {
        return malformed("a tag that git would not read");
    }
    return std::vector<GitLink>{{id, static_cast<GitObjectType>(found - kTypes.begin()), false}};
}

} // namespace

Result<std::vector<GitLink>> readGitObject(GitObjectType type, std::string_view bytes)
{
    switch (type) {
    case GitObjectType::Commit:
        return readCommit(bytes);
    case GitObjectType::Tree:
        return readTree(bytes);
    case GitObjectType::Tag:
        return readTag(bytes);
    case GitObjectType::Blob:
        break;
    }
    return std::vector<GitLink>();
}

bool areHarmlessModules(std::string_view text)
{
    const auto entries = parseGitConfig(text);
    return entries && std::ranges::all_of(*entries, [](const GitConfigEntry& entry) {
               // "submodule.NAME.path": the name becomes a directory of .git/modules.
               const std::size_t first = std::min(entry.key.find('.'), entry.key.size() - 1);
               const std::string_view name(entry.key.data() + first + 1,
                                           std::max(entry.key.rfind('.'), first + 1) - first - 1);
               const std::vector<std::string_view> parts = pathComponents(name);
               const bool leadsUp = std::ranges::find(parts, "..") != parts.end();
               const bool isControlled = std::ranges::any_of(
                   entry.value, [](char byte) { return static_cast<unsigned char>(byte) < 0x20; });
               return !leadsUp && !isControlled && !entry.value.starts_with('-')
                   && !entry.value.starts_with('!');
           });
}

} // namespace revet::policy
