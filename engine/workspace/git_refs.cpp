// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/git_refs.h"

#include "engine/policy/path_pattern.h"
#include "engine/workspace/name_text.h"

#include <algorithm>
#include <array>

#include <git2/refs.h>

namespace revet::workspace {

namespace {

constexpr std::size_t kHexBytes = 40;
constexpr std::string_view kHeads = "refs/heads/";

bool isId(std::string_view text)
{
    return text.size() == kHexBytes && text.find_first_not_of("0123456789abcdef") == std::string_view::npos
        && text.find_first_not_of('0') != std::string_view::npos;
}

} // namespace

Result<GitRefs> readPackedRefs(std::string_view text)
{
    GitRefs refs;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.starts_with('#') || line.starts_with('^')) {
            continue; // how it is sorted; what a tag leads to
        }
        const bool isRef
            = isId(line.substr(0, kHexBytes)) && line.size() > kHexBytes + 1 && line[kHexBytes] == ' ';
        if (!isRef) {
            return fail(ErrorCode::Malformed, "read packed-refs");
        }
        refs[std::string(line.substr(kHexBytes + 1))] = line.substr(0, kHexBytes);
    }
    return refs;
}

std::optional<std::string> readRef(std::string_view text)
{
    while (text.ends_with('\n')) {
        text.remove_suffix(1);
    }
    return isId(text) ? std::optional(std::string(text)) : std::nullopt;
}

bool isCrossingRef(std::string_view name)
{
    constexpr std::array<std::string_view, 3> kKinds = {kHeads, "refs/tags/", "refs/notes/"};
    return name == "refs/stash"
        || std::ranges::any_of(kKinds, [name](std::string_view kind) { return name.starts_with(kind); });
}

bool isPlainRefName(const std::string& name)
{
    int isValid = 0;
    const TextTraits traits = traitsOf(name);
    const auto parts = policy::pathComponents(name);
    return ::git_reference_name_is_valid(&isValid, name.c_str()) == 0 && isValid != 0 && !traits.hasControl
        && !traits.hasInvisible && traits.isUtf8 && name.find('\0') == std::string::npos
        && std::ranges::none_of(
               parts, [](std::string_view part) { return part.starts_with('-') || part == "HEAD"; });
}

std::string besideName(std::string_view name, std::string_view session, int number)
{
    std::string_view kind = kHeads;
    std::string_view rest = name;
    if (name.starts_with("refs/")) {
        const std::size_t slash = name.find('/', std::string_view("refs/").size());
        // The stash is one ref of many commits; on a branch it can be looked at.
        kind = slash == std::string_view::npos ? kHeads : name.substr(0, slash + 1);
        rest = slash == std::string_view::npos ? name.substr(std::string_view("refs/").size())
                                               : name.substr(slash + 1);
    }
    std::string beside(kind);
    beside.append("revet/").append(session).append("/").append(rest);
    return number > 1 ? beside + '-' + std::to_string(number) : beside;
}

} // namespace revet::workspace
