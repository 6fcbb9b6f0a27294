// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/approval/grant_book.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace revet::approval {

void GrantBook::insert(const Grant& grant, ProcessNumber process)
{
    const std::array<std::string, 1> target{grant.target};
    auto rules = policy::NetworkRules::compile(
        std::span<const std::string>(target).first(grant.kind == AskKind::Destination ? 1 : 0));
    if (rules) { // what makes no sense any more is about nothing
        m_entries.insert_or_assign(grant.id, Entry{grant, *std::move(rules), process});
    }
}

void GrantBook::replace(const std::vector<Grant>& grants)
{
    const std::lock_guard lock(m_mutex);
    auto before = std::exchange(m_entries, {});
    for (const Grant& grant : grants) {
        const auto known = before.find(grant.id);
        const auto use = m_uses.find(grant.id);
        // One that is used up is so before the catalogue knows.
        if (use == m_uses.end() || !use->second.isUsedUp) {
            insert(grant, known == before.end() ? ProcessNumber() : known->second.process);
        }
    }
}

void GrantBook::add(const Grant& grant, ProcessNumber process)
{
    const std::lock_guard lock(m_mutex);
    insert(grant, process);
}

bool GrantBook::isFor(const Entry& entry, const Claimant* claimant)
{
    switch (entry.grant.scope) {
    case GrantScope::Once:
        return claimant != nullptr && (entry.grant.chain.empty() || entry.grant.chain == claimant->chain);
    case GrantScope::Process:
        return claimant != nullptr && !entry.process.isNone() && entry.process == claimant->process;
    case GrantScope::Session:
    case GrantScope::Project:
        return true;
    }
    return false;
}

GrantBook::Match GrantBook::noteUse(Entry& entry, WallTime now)
{
    const std::int64_t id = entry.grant.id;
    Match match{entry.grant.isAllowed, "grant " + entry.grant.name()};
    Use& use = m_uses[id];
    use.id = id;
    ++use.hits;
    use.last = now;
    if (entry.grant.scope == GrantScope::Once) {
        use.isUsedUp = true;
        m_entries.erase(id);
    }
    return match;
}

bool GrantBook::mayReach(const policy::HostName& host, WallTime now) const
{
    const std::lock_guard lock(m_mutex);
    return std::ranges::any_of(m_entries, [&](const auto& entry) {
        const Grant& grant = entry.second.grant;
        return grant.kind == AskKind::Destination && grant.isAllowed && isFor(entry.second, nullptr)
            && grant.isInForce(now) && entry.second.rules.mayReach(host);
    });
}

bool GrantBook::hasAllowed(WallTime now) const
{
    const std::lock_guard lock(m_mutex);
    return std::ranges::any_of(m_entries, [now](const auto& entry) {
        const Grant& grant = entry.second.grant;
        return grant.kind == AskKind::Destination && grant.isAllowed && grant.isInForce(now);
    });
}

std::vector<GrantBook::Use> GrantBook::takeUses()
{
    const std::lock_guard lock(m_mutex);
    std::vector<Use> uses;
    for (auto& [id, use] : std::exchange(m_uses, {})) {
        uses.push_back(use);
    }
    return uses;
}

} // namespace revet::approval
