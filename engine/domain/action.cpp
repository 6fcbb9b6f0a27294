// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/domain/action.h"

#include <array>
#include <string>

namespace revet {

namespace {

constexpr std::array<std::string_view, kActionKindCount> kKindNames
    = {"session", "exec", "exit",   "read",   "write",      "create", "delete", "rename",  "link",  "chmod",
       "connect", "dns",  "listen", "socket", "credential", "apply",  "tier",   "syscall", "limit", "note"};
constexpr std::array<std::string_view, kVerdictCount> kVerdictNames
    = {"permitted", "contained", "withheld", "asked", "approved", "denied", "failed"};
constexpr std::array<std::string_view, kReachCount> kReachNames
    = {"none", "copy", "project", "machine", "beyond"};

template<std::size_t Size>
std::string listed(const std::array<std::string_view, Size>& names)
{
    std::string list;
    for (const std::string_view name : names) {
        list += (list.empty() ? "" : ", ") + std::string(name);
    }
    return list;
}

} // namespace

std::string_view toString(ActionKind kind)
{
    return kKindNames.at(static_cast<std::size_t>(kind));
}

std::string_view toString(Verdict verdict)
{
    return kVerdictNames.at(static_cast<std::size_t>(verdict));
}

std::string_view toString(Reach reach)
{
    return kReachNames.at(static_cast<std::size_t>(reach));
}

Result<ActionKind> parseActionKind(std::string_view text)
{
    for (std::size_t i = 0; i < kKindNames.size(); ++i) {
        if (kKindNames.at(i) == text) {
            return static_cast<ActionKind>(i);
        }
    }
    return fail(ErrorCode::InvalidArgument, "read the kind '" + std::string(text) + "'",
                "the kinds are " + listed(kKindNames));
}

Result<Verdict> parseVerdict(std::string_view text)
{
    for (std::size_t i = 0; i < kVerdictNames.size(); ++i) {
        if (kVerdictNames.at(i) == text) {
            return static_cast<Verdict>(i);
        }
    }
    return fail(ErrorCode::InvalidArgument, "read the verdict '" + std::string(text) + "'",
                "the verdicts are " + listed(kVerdictNames));
}

} // namespace revet
