// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/rule_uses.h"

#include "engine/base/unique_fd.h"
#include "engine/session/text_file.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <sys/file.h>

#include <nlohmann/json.hpp>

namespace revet::session {

namespace {

constexpr const char* kFile = "rule-uses.json";
constexpr std::size_t kMostRules = 500;

nlohmann::json toJson(const RuleUse& use)
{
    return {{"source", use.source},
            {"rule", use.text},
            {"allowed", use.isAllowed},
            {"hits", use.hits},
            {"last", use.last.time_since_epoch().count()}};
}

RuleUse fromJson(const nlohmann::json& row)
{
    RuleUse use;
    use.source = row.value("source", "");
    use.text = row.value("rule", "");
    use.isAllowed = row.value("allowed", true);
    use.hits = row.value("hits", std::uint64_t{0});
    use.last = WallTime(std::chrono::microseconds(row.value("last", std::int64_t{0})));
    return use;
}

void sortByLast(std::vector<RuleUse>& uses)
{
    std::ranges::stable_sort(uses, std::ranges::greater(), &RuleUse::last);
}

} // namespace

Result<std::vector<RuleUse>> readRuleUses(const std::filesystem::path& directory)
{
    const auto text = readText(directory / kFile);
    if (!text) {
        return text.error().errnoValue == ENOENT ? Result<std::vector<RuleUse>>() : fail(text.error());
    }
    std::vector<RuleUse> uses;
    try { // the library has no other way to say that a value is of another kind
        for (const nlohmann::json& row : nlohmann::json::parse(*text)) {
            uses.push_back(fromJson(row));
        }
    } catch (const nlohmann::json::exception&) {
        return fail(ErrorCode::Malformed, "read " + (directory / kFile).string(),
                    "remove it: it only counts how often rules were used");
    }
    sortByLast(uses);
    return uses;
}

Result<void> addRuleUses(const std::filesystem::path& directory,
                         const std::vector<policy::RuleBook::Use>& uses)
{
    const auto isUsed = [](const policy::RuleBook::Use& use) { return use.hits > 0; };
    if (std::ranges::none_of(uses, isUsed)) {
        return {};
    }
    const UniqueFd lock(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!lock || ::flock(lock.get(), LOCK_EX) != 0) {
        return failErrno("lock " + directory.string());
    }
    REVET_ASSIGN_OR_RETURN(std::vector<RuleUse> all, readRuleUses(directory));
    for (const policy::RuleBook::Use& use : uses) {
        if (!isUsed(use)) {
            continue;
        }
        const policy::NetworkRule& rule = use.rule;
        const auto isOfRule = [&rule](const RuleUse& known) {
            return known.source == rule.source && known.text == rule.text
                && known.isAllowed == rule.isAllowed;
        };
        auto known = std::ranges::find_if(all, isOfRule);
        if (known == all.end()) {
            known = all.insert(known, {rule.source, rule.text, rule.isAllowed});
        }
        known->hits += use.hits;
        known->last = std::max(known->last, use.last);
    }
    sortByLast(all);
    all.resize(std::min(all.size(), kMostRules));
    nlohmann::json rows = nlohmann::json::array();
    for (const RuleUse& use : all) {
        rows.push_back(toJson(use));
    }
    // A rule may be any bytes that name a host.
    return replaceFile(directory / kFile,
                       rows.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

} // namespace revet::session
