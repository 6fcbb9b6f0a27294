// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/domain/grant.h"
#include "engine/policy/network_rules.h"

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace revet::approval {

/// The answers that hold in a session. A no beats a yes. Thread-safe.
class GrantBook
{
public:
    /// From now on these, as the catalogue has them; what was counted of those that stay is kept.
    void replace(const std::vector<Grant>& grants);
    void add(const Grant& grant, ProcessNumber process = {});

    /// Who wants it, for grants that are not for everybody.
    struct Claimant
    {
        ProcessNumber process;
        std::string chain;
    };
    struct Match
    {
        bool isAllowed = false;
        std::string rule; ///< "grant g7"
    };
    /// Without a claimant, what holds for all of the session. One that was found has been used: a yes for
    /// once is gone.
    template<typename Host>
    [[nodiscard]] std::optional<Match> judge(const Host& host, std::uint16_t port, const Claimant* claimant,
                                             WallTime now)
    {
        return use(isAbout(host, port), claimant, now);
    }
    /// The same, and nothing has been used.
    template<typename Host>
    [[nodiscard]] std::optional<bool> foresee(const Host& host, std::uint16_t port, const Claimant* claimant,
                                              WallTime now) const
    {
        const std::lock_guard lock(m_mutex);
        const Entry* const entry = find(isAbout(host, port), claimant, now);
        return entry == nullptr ? std::nullopt : std::optional(entry->grant.isAllowed);
    }
    /// As judge(), for what is no destination.
    [[nodiscard]] std::optional<Match> judge(AskKind kind, std::string_view target, const Claimant* claimant,
                                             WallTime now)
    {
        return use(
            [&](const Entry& entry) { return entry.grant.kind == kind && entry.grant.target == target; },
            claimant, now);
    }
    /// Whether a yes is about this name at some port.
    [[nodiscard]] bool mayReach(const policy::HostName& host, WallTime now) const;
    /// Any yes to a destination.
    [[nodiscard]] bool hasAllowed(WallTime now) const;

    /// What has been used since the last time, for the catalogue.
    struct Use
    {
        std::int64_t id = 0;
        std::uint64_t hits = 0; ///< more
        WallTime last{};
        bool isUsedUp = false;
    };
    [[nodiscard]] std::vector<Use> takeUses();

private:
    struct Entry
    {
        Grant grant;
        policy::NetworkRules rules; ///< of a destination
        ProcessNumber process; ///< of Process
    };
    template<typename Host>
    [[nodiscard]] static auto isAbout(const Host& host, std::uint16_t port)
    {
        return [&host, port](const Entry& entry) {
            return entry.grant.kind == AskKind::Destination && entry.rules.judge(host, port).isPermitted;
        };
    }
    /// The one that decides, or nullptr.
    template<typename IsAbout>
    [[nodiscard]] const Entry* find(const IsAbout& isAbout, const Claimant* claimant, WallTime now) const;
    template<typename IsAbout>
    [[nodiscard]] std::optional<Match> use(const IsAbout& isAbout, const Claimant* claimant, WallTime now);
    [[nodiscard]] static bool isFor(const Entry& entry, const Claimant* claimant);
    void insert(const Grant& grant, ProcessNumber process);
    [[nodiscard]] Match noteUse(Entry& entry, WallTime now);

    mutable std::mutex m_mutex;
    std::map<std::int64_t, Entry> m_entries;
    std::map<std::int64_t, Use> m_uses;
};

template<typename IsAbout>
const GrantBook::Entry* GrantBook::find(const IsAbout& isAbout, const Claimant* claimant, WallTime now) const
{
    const Entry* allowing = nullptr;
    for (const auto& [id, entry] : m_entries) {
        if (!entry.grant.isInForce(now) || !isFor(entry, claimant) || !isAbout(entry)) {
            continue;
        }
        if (!entry.grant.isAllowed) {
            return &entry;
        }
        // What lasts is used before what is used up.
        if (allowing == nullptr || entry.grant.scope > allowing->grant.scope) {
            allowing = &entry;
        }
    }
    return allowing;
}

template<typename IsAbout>
std::optional<GrantBook::Match> GrantBook::use(const IsAbout& isAbout, const Claimant* claimant, WallTime now)
{
    const std::lock_guard lock(m_mutex);
    const Entry* const entry = find(isAbout, claimant, now);
    return entry == nullptr ? std::nullopt : std::optional(noteUse(m_entries.at(entry->grant.id), now));
}

} // namespace revet::approval
