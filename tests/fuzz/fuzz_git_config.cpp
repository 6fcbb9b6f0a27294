// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/base/assert.h"
#include "engine/policy/git_rules.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

using namespace revet::policy;

namespace {

/// Splitting and classifying must hold for any path.
bool classifies(std::string_view path)
{
    GitSplit split;
    return isBelowGitdir(path, &split) && classifyGitEntry(split.inside) != GitEntry::Ordinary;
}

} // namespace

// The two halves of the input, parted by the first NUL, are a configuration before and after.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    // libFuzzer's bytes are a char string to us.
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const std::size_t middle = input.find('\0');
    const std::string_view before = input.substr(0, middle);
    const std::string_view after
        = middle == std::string_view::npos ? std::string_view() : input.substr(middle + 1);
    static_cast<void>(classifies(input));
    const auto nowhere = [](std::string_view) { return false; };
    const GitConfigVerdict verdict = judgeGitConfig(before, after, nowhere);
    REVET_ASSERT(verdict.isHarmless == verdict.offending.empty());
    if (!verdict.isHarmless || before == after) {
        return 0;
    }
    // Whatever was let through names no program that the host's file did not name.
    const auto entries = parseGitConfig(after);
    const auto earlier = parseGitConfig(before);
    REVET_ASSERT(entries.has_value());
    for (const GitConfigEntry& entry : *entries) {
        const bool isUrl = entry.key.ends_with(".url") || entry.key.ends_with(".pushurl");
        const bool isGrave = entry.key == "core.fsmonitor" || entry.key == "core.hookspath"
            || entry.key == "core.sshcommand" || entry.key.starts_with("alias.")
            || entry.key.starts_with("include") || (isUrl && entry.value.find("::") != std::string::npos);
        REVET_ASSERT(!isGrave
                     || (earlier && std::find(earlier->begin(), earlier->end(), entry) != earlier->end()));
    }
    return 0;
}
