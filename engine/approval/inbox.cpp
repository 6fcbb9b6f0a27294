// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/approval/inbox.h"

#include "engine/approval/ask_hash.h"

#include <algorithm>

namespace revet::approval {

namespace {

constexpr std::size_t kMaximumQuiet = 1024;
constexpr std::size_t kMaximumChain = 16;
constexpr std::size_t kMaximumArgumentBytes = std::size_t{16} * 1024; ///< of one process

/// What is shown is what is decided, and neither may be without end. What was cut says so.
void bound(AskProcess& process)
{
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < process.argv.size(); ++i) {
        bytes += process.argv[i].size() + 1;
        if (bytes <= kMaximumArgumentBytes) {
            continue;
        }
        std::size_t more = 0;
        for (std::size_t j = i; j < process.argv.size(); ++j) {
            more += process.argv[j].size() + 1;
        }
        process.argv.resize(i);
        process.argv.push_back("… " + std::to_string(more) + " bytes more");
        return;
    }
}

std::vector<AskProcess> bounded(std::vector<AskProcess> chain)
{
    if (chain.size() > kMaximumChain) { // the nearest say most
        chain.erase(chain.begin(), chain.end() - kMaximumChain);
    }
    std::ranges::for_each(chain, bound);
    return chain;
}

} // namespace

Inbox::Inbox(Setting setting, const Clock& clock)
    : m_setting(std::move(setting))
    , m_clock(clock)
{
}

Inbox::Key Inbox::keyOf(const Ask& ask)
{
    return {ask.kind, ask.target, chainOf(ask.chain)};
}

Inbox::Raised Inbox::raise(Wish wish, Waiter waiter)
{
    wish.chain = bounded(std::move(wish.chain));
    const Key key{wish.kind, wish.target, chainOf(wish.chain)};
    const SteadyTime now = m_clock.steadyNow();
    if (const auto quiet = m_quiet.find(key); quiet != m_quiet.end()) {
        if (now < quiet->second.until) {
            return {false, quiet->second.rule};
        }
        m_quiet.erase(quiet);
    }
    if (m_waiting.size() >= kMaximumWaiters) {
        return flood();
    }
    if (const auto known = m_keys.find(key); known != m_keys.end()) {
        Open& open = m_open.at(known->second);
        ++open.record.count;
        open.record.hasGivenUp = false;
        open.waiters.insert(waiter);
        m_waiting.insert_or_assign(waiter, known->second);
        return {true, {}};
    }
    if (m_open.size() >= kMaximumOpen || !m_pace.take(now)) {
        return flood();
    }
    m_isFlooded = false;
    AskRecord record = make(std::move(wish));
    const AskId id = record.ask.id;
    if (m_setting.deadline == std::chrono::seconds(0)) {
        record.state = AskState::Missed;
        record.settled = record.ask.created;
        std::string rule = "nobody can be asked: " + id.text();
        beQuiet(key, rule);
        return {false, std::move(rule), std::move(record)};
    }
    Open open{record, {waiter}, {}};
    if (m_setting.deadline) {
        open.deadline = now + *m_setting.deadline;
    }
    m_open.emplace(id, std::move(open));
    m_keys.emplace(key, id);
    m_waiting.insert_or_assign(waiter, id);
    return {true, {}, std::move(record)};
}

AskRecord Inbox::make(Wish wish)
{
    AskRecord record;
    Ask& ask = record.ask;
    ask.id = {m_setting.session, ++m_lastNumber};
    ask.kind = wish.kind;
    ask.project = m_setting.project;
    ask.tier = m_setting.tier;
    ask.target = std::move(wish.target);
    ask.chain = std::move(wish.chain);
    ask.cwd = std::move(wish.cwd);
    ask.why = std::move(wish.why);
    ask.lane = wish.lane;
    ask.from = wish.from;
    ask.to = wish.to;
    ask.scopes = std::move(wish.scopes);
    ask.created = m_clock.now();
    ask.hash = hashOf(ask);
    if (m_setting.deadline) {
        ask.deadline = ask.created + *m_setting.deadline;
    }
    return record;
}

Inbox::Raised Inbox::flood()
{
    return {false, "too much is asked at once", std::nullopt, !std::exchange(m_isFlooded, true)};
}

void Inbox::leave(Waiter waiter)
{
    const auto waiting = m_waiting.extract(waiter);
    if (waiting.empty()) {
        return;
    }
    Open& open = m_open.at(waiting.mapped());
    open.waiters.erase(waiter);
    open.record.hasGivenUp = open.waiters.empty();
}

AskId Inbox::askOf(Waiter waiter) const
{
    const auto waiting = m_waiting.find(waiter);
    return waiting == m_waiting.end() ? AskId() : waiting->second;
}

Result<void> Inbox::check(const AskId& id, const Answer& answer) const
{
    const auto known = m_open.find(id);
    if (known == m_open.end()) {
        const bool wasThere = id.session == m_setting.session && id.number <= m_lastNumber;
        return fail(wasThere ? ErrorCode::Conflict : ErrorCode::NotFound, "answer " + id.text(),
                    wasThere ? "it has been answered already; `revet asks --all` says how"
                             : "there is no such ask; `revet asks` lists them");
    }
    const Ask& ask = known->second.record.ask;
    if (answer.hash != ask.hash) {
        return fail(ErrorCode::Conflict, "answer " + id.text(),
                    "the answer is to something else; look at it again");
    }
    if (answer.isApproved && std::ranges::find(ask.scopes, answer.scope) == ask.scopes.end()) {
        return fail(ErrorCode::Refused, "answer " + id.text(),
                    "it cannot be approved for: " + std::string(toString(answer.scope)));
    }
    return {};
}

Result<Inbox::Settled> Inbox::answer(const AskId& id, const Answer& answer)
{
    REVET_RETURN_IF_ERROR(check(id, answer));
    return settle(id, answer.isApproved ? AskState::Approved : AskState::Denied, answer.scope);
}

Inbox::Settled Inbox::settle(const AskId& id, AskState state, std::optional<GrantScope> scope)
{
    auto open = m_open.extract(id);
    Settled settled{std::move(open.mapped().record), {}};
    settled.waiters.assign(open.mapped().waiters.begin(), open.mapped().waiters.end());
    for (const Waiter waiter : settled.waiters) {
        m_waiting.erase(waiter);
    }
    settled.record.state = state;
    settled.record.scope = scope;
    settled.record.settled = m_clock.now();
    const Key key = keyOf(settled.record.ask);
    m_keys.erase(key);
    if (state == AskState::Denied) {
        beQuiet(key, "denied before: " + id.text());
    } else if (state == AskState::Missed) {
        beQuiet(key, "nobody answered: " + id.text());
    }
    return settled;
}

void Inbox::beQuiet(const Key& key, std::string rule)
{
    const SteadyTime now = m_clock.steadyNow();
    if (m_quiet.size() >= kMaximumQuiet) {
        std::erase_if(m_quiet, [now](const auto& entry) { return now >= entry.second.until; });
    }
    if (m_quiet.size() >= kMaximumQuiet) {
        m_quiet.erase(
            std::ranges::min_element(m_quiet, {}, [](const auto& entry) { return entry.second.until; }));
    }
    m_quiet.insert_or_assign(key, Quiet{std::move(rule), now + kQuietTime});
}

std::vector<Inbox::Settled> Inbox::expire()
{
    const SteadyTime now = m_clock.steadyNow();
    std::vector<Settled> settled;
    for (const AskId& id : openIds()) {
        const auto& deadline = m_open.at(id).deadline;
        if (deadline && now >= *deadline) {
            settled.push_back(settle(id, AskState::Missed, std::nullopt));
        }
    }
    return settled;
}

std::vector<Inbox::Settled> Inbox::close()
{
    std::vector<Settled> settled;
    for (const AskId& id : openIds()) {
        settled.push_back(settle(id, AskState::Missed, std::nullopt));
    }
    return settled;
}

std::optional<SteadyTime> Inbox::nextDeadline() const
{
    std::optional<SteadyTime> next;
    for (const auto& [id, open] : m_open) {
        if (open.deadline && (!next || *open.deadline < *next)) {
            next = open.deadline;
        }
    }
    return next;
}

std::optional<AskRecord> Inbox::find(const AskId& id) const
{
    const auto known = m_open.find(id);
    return known == m_open.end() ? std::nullopt : std::optional(known->second.record);
}

std::vector<AskId> Inbox::openIds() const
{
    std::vector<AskId> ids;
    for (const auto& [id, open] : m_open) {
        ids.push_back(id);
    }
    return ids;
}

} // namespace revet::approval
