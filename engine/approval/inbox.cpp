// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/approval/inbox.h"

#include "engine/approval/ask_hash.h"

#include <algorithm>

namespace revet::approval {

namespace {

constexpr std::size_t kMaximumQuiet = 1024;
constexpr std::size_t kMaximumChain = 16;
constexpr std::size_t kMaximumArgumentBytes = std::size_t{16} * 1024; ///< of all processes

/// Takes what there is room for from `left`.
void bound(AskProcess& process, std::size_t& left)
{
    const auto sizeOf = [](const std::string& argument) { return argument.size() + 1; };
    const auto first = std::ranges::find_if(process.argv, [&](const std::string& argument) {
        const bool fits = sizeOf(argument) <= left;
        left = fits ? left - sizeOf(argument) : 0;
        return !fits;
    });
    if (first != process.argv.end()) {
        std::size_t more = 0;
        std::for_each(first, process.argv.end(), [&](const auto& argument) { more += sizeOf(argument); });
        process.argv.erase(first, process.argv.end());
        process.argv.push_back("… " + std::to_string(more) + " bytes more");
    }
}

} // namespace

std::vector<AskProcess> bounded(std::vector<AskProcess> chain)
{
    if (chain.size() > kMaximumChain) { // the nearest say most
        const auto last = chain.end() - (kMaximumChain - 1);
        const std::string count = std::to_string(last - chain.begin());
        chain.erase(chain.begin(), last);
        chain.insert(chain.begin(), {0, 0, "… " + count + " earlier processes", {}});
    }
    std::size_t left = kMaximumArgumentBytes;
    std::for_each(chain.rbegin(), chain.rend(), [&left](AskProcess& process) { bound(process, left); });
    return chain;
}

Inbox::Inbox(Setting setting, const Clock& clock)
    : m_setting(std::move(setting))
    , m_clock(clock)
{
}

template<typename Asked>
Inbox::Matter Inbox::matterOf(const Asked& asked)
{
    return {asked.kind, asked.target, asked.kind == AskKind::RunLater ? asked.why : std::string()};
}

template<typename Asked>
Inbox::Key Inbox::keyOf(const Asked& asked)
{
    return {matterOf(asked), chainOf(asked.chain)};
}

bool Inbox::isSameMatter(const Ask& one, const Ask& other)
{
    return matterOf(one) == matterOf(other);
}

Inbox::Raised Inbox::raise(Wish wish, Waiter waiter)
{
    const SteadyTime now = m_clock.steadyNow();
    if (const auto quiet = m_quiet.find(matterOf(wish)); quiet != m_quiet.end()) {
        if (now < quiet->second.until) {
            return {false, quiet->second.rule};
        }
        m_quiet.erase(quiet);
    }
    if (m_waiting.size() >= kMaximumWaiters) {
        return flood("too much is asked at once");
    }
    if (const auto known = m_keys.find(keyOf(wish)); known != m_keys.end()) {
        join(known->second, std::move(wish), waiter);
        return {true, {}};
    }
    if (asksNoMore()) {
        return flood(m_noes >= kMaximumNoes ? std::to_string(m_noes) + " noes: nothing more is asked"
                                            : std::to_string(m_lastNumber) + " asks: nothing more is asked");
    }
    if (m_open.size() >= kMaximumOpen || !m_pace.take(now)) {
        return flood("too much is asked at once");
    }
    m_isFlooded = false;
    if (m_setting.deadline == std::chrono::seconds(0)) {
        AskRecord record = make(std::move(wish));
        record.state = AskState::Missed;
        record.settled = record.ask.created;
        std::string rule = "nobody can be asked: " + record.ask.id.text();
        beQuiet(record.ask, {rule, now + kQuietTime});
        return {false, std::move(rule), std::move(record)};
    }
    return {true, {}, open(std::move(wish), waiter)};
}

AskRecord Inbox::open(Wish wish, Waiter waiter)
{
    const ProcessNumber process = wish.process;
    AskRecord record = make(std::move(wish));
    const AskId id = record.ask.id;
    Open open{record, process, {waiter}, {}, {}};
    if (m_setting.deadline) {
        open.deadline = m_clock.steadyNow() + *m_setting.deadline;
    }
    m_open.emplace(id, std::move(open));
    m_keys.emplace(keyOf(record.ask), id);
    m_waiting.insert_or_assign(waiter, id);
    return record;
}

void Inbox::join(const AskId& id, Wish wish, Waiter waiter)
{
    Open& open = m_open.at(id);
    ++open.record.count;
    open.record.hasGivenUp = false;
    if (!open.process.isNone() && wish.process == open.process) {
        open.waiters.insert(waiter);
    } else {
        open.others.insert_or_assign(waiter, std::move(wish));
    }
    m_waiting.insert_or_assign(waiter, id);
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
    ask.claim = std::move(wish.claim);
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

Inbox::Raised Inbox::flood(std::string rule)
{
    return {false, std::move(rule), std::nullopt, !std::exchange(m_isFlooded, true)};
}

void Inbox::leave(Waiter waiter)
{
    const auto waiting = m_waiting.extract(waiter);
    if (waiting.empty()) {
        return;
    }
    Open& open = m_open.at(waiting.mapped());
    open.waiters.erase(waiter);
    open.others.erase(waiter);
    open.record.hasGivenUp = !open.isWaitedFor();
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
    return checkScope(ask, answer);
}

Result<void> Inbox::checkScope(const Ask& ask, const Answer& answer)
{
    if (answer.isApproved && std::ranges::find(ask.scopes, answer.scope) == ask.scopes.end()) {
        return fail(ErrorCode::Refused, "answer " + ask.id.text(),
                    "it cannot be approved for: " + std::string(toString(answer.scope)));
    }
    return {};
}

Result<Inbox::Settled> Inbox::answer(const AskId& id, const Answer& answer)
{
    REVET_RETURN_IF_ERROR(check(id, answer));
    m_noes = answer.isApproved ? 0 : m_noes + 1;
    return settle(id, answer.isApproved ? AskState::Approved : AskState::Denied, answer.scope);
}

Inbox::Settled Inbox::settle(const AskId& id, AskState state, std::optional<GrantScope> scope)
{
    const auto node = m_open.extract(id);
    Open& open = node.mapped();
    m_keys.erase(keyOf(open.record.ask));
    if (scope == GrantScope::Once && open.waiters.empty() && !open.others.empty()) {
        // The next try of the same programs is here already.
        open.waiters.insert(open.others.extract(open.others.begin()).key());
    }
    Settled settled{std::move(open.record), {open.waiters.begin(), open.waiters.end()}};
    const bool isForOne = state == AskState::Approved && scope <= GrantScope::Process;
    for (auto& [waiter, wish] : open.others) {
        if (!isForOne) {
            settled.waiters.push_back(waiter);
        } else if (settled.next) {
            join(settled.next->ask.id, std::move(wish), waiter);
        } else {
            settled.next = this->open(std::move(wish), waiter);
        }
    }
    std::ranges::for_each(settled.waiters, [this](Waiter waiter) { m_waiting.erase(waiter); });
    settled.record.state = state;
    settled.record.scope = scope;
    settled.record.settled = m_clock.now();
    if (state == AskState::Denied) {
        beQuiet(settled.record.ask, {"denied before: " + id.text(), SteadyTime::max()});
    } else if (state == AskState::Missed) {
        beQuiet(settled.record.ask, {"nobody answered: " + id.text(), m_clock.steadyNow() + kQuietTime});
    }
    return settled;
}

void Inbox::forgive(const Ask& ask)
{
    m_quiet.erase(matterOf(ask));
    m_noes = 0;
}

void Inbox::beQuiet(const Ask& ask, Quiet quiet)
{
    const SteadyTime now = m_clock.steadyNow();
    if (m_quiet.size() >= kMaximumQuiet) {
        std::erase_if(m_quiet, [now](const auto& entry) { return now >= entry.second.until; });
    }
    if (m_quiet.size() >= kMaximumQuiet) {
        m_quiet.erase(
            std::ranges::min_element(m_quiet, {}, [](const auto& entry) { return entry.second.until; }));
    }
    m_quiet.insert_or_assign(matterOf(ask), std::move(quiet));
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
