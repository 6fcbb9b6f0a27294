// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/ask_desk.h"

#include "engine/approval/ask_hash.h"
#include "engine/approval/ask_notice.h"
#include "engine/base/log.h"

#include <algorithm>
#include <utility>

#include <sys/eventfd.h>

namespace revet::session {

namespace {

using approval::Inbox;

/// For how long a yes to what has given up waits for the next try.
constexpr std::chrono::hours kNextTry{1};

Fact factOf(const std::string& target, Verdict verdict, std::string rule)
{
    Fact fact;
    fact.kind = ActionKind::Connect;
    fact.verdict = verdict;
    fact.reach = Reach::None; // the connection itself has its own row
    fact.target = target;
    fact.rule = std::move(rule);
    return fact;
}

Fact floodFact(const std::string& target, std::string rule)
{
    Fact fact = factOf(target, Verdict::Denied, std::move(rule));
    fact.kind = ActionKind::Limit;
    return fact;
}

std::string scopeWords(GrantScope scope, const std::optional<WallTime>& until)
{
    return until ? "until " + toRfc3339(*until) : std::string(toString(scope));
}

} // namespace

Result<std::unique_ptr<AskDesk>> AskDesk::create(Inbox::Setting setting, Parts parts)
{
    UniqueFd news(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!news) {
        return failErrno("wait for questions");
    }
    std::unique_ptr<AskDesk> desk(new AskDesk(std::move(setting), std::move(parts), std::move(news)));
    REVET_RETURN_IF_ERROR(desk->reloadGrants());
    return desk;
}

AskDesk::AskDesk(Inbox::Setting setting, Parts parts, UniqueFd news)
    : m_setting(setting)
    , m_parts(std::move(parts))
    , m_news(std::move(news))
    , m_inbox(std::move(setting), m_parts.clock)
{
}

void AskDesk::wake() const
{
    ::eventfd_write(m_news.get(), 1);
}

egress::Asker::Reply AskDesk::ask(std::uint64_t connection, std::uint64_t socket,
                                  const egress::Destination& destination)
{
    using Kind = Reply::Kind;
    const ProcessNumber process = m_parts.connections.ownerOf(socket);
    ProcessBook::Story story = m_parts.recorder.storyOf(process);
    const approval::GrantBook::Claimant claimant{process, approval::chainOf(story.chain)};
    const WallTime now = m_parts.clock.now();
    const auto granted = destination.name
        ? m_parts.grants.judge(*destination.name, destination.port, &claimant, now)
        : m_parts.grants.judge(destination.address, destination.port, &claimant, now);
    if (granted) {
        wake(); // what is used up is to be known
        return {granted->isAllowed ? Kind::Permitted : Kind::Refused, granted->rule};
    }
    const std::string target = destination.text();
    Inbox::Wish wish;
    wish.target = target;
    wish.chain = std::move(story.chain);
    wish.cwd = std::move(story.cwd);
    wish.why = "no rule of the session or the project is about it";
    wish.from = m_parts.hasRules || m_parts.grants.hasAllowed(now) ? Reach::Beyond : Reach::None;
    wish.scopes.assign(kAllGrantScopes.begin(), kAllGrantScopes.end());

    const std::lock_guard lock(m_mutex);
    Inbox::Raised raised = m_inbox.raise(std::move(wish), connection);
    if (raised.isFlood) {
        m_parts.recorder.record(process, floodFact(target, raised.rule));
    }
    if (raised.news) {
        m_parts.recorder.record(process, factOf(target, Verdict::Asked, "ask " + raised.news->ask.id.text()));
        m_new.push_back(*std::move(raised.news));
        wake();
    }
    if (!raised.waits) {
        return {Kind::Refused, std::move(raised.rule)};
    }
    const AskId id = m_inbox.askOf(connection);
    m_changed.insert(id);
    m_askers[id].insert(process);
    wake();
    return {Kind::Waits, {}};
}

void AskDesk::left(std::uint64_t connection)
{
    const std::lock_guard lock(m_mutex);
    if (const AskId id = m_inbox.askOf(connection); id.number != 0) {
        m_inbox.leave(connection);
        m_changed.insert(id);
        wake();
    }
}

void AskDesk::turn()
{
    eventfd_t count = 0;
    ::eventfd_read(m_news.get(), &count);
    std::vector<AskRecord> fresh;
    std::vector<AskRecord> changed;
    std::vector<Inbox::Settled> missed;
    {
        const std::lock_guard lock(m_mutex);
        fresh = std::exchange(m_new, {});
        for (const AskId& id : std::exchange(m_changed, {})) {
            if (auto record = m_inbox.find(id)) {
                changed.push_back(*std::move(record));
            }
        }
        missed = m_inbox.expire();
    }
    for (const AskRecord& record : fresh) {
        save(record);
        if (record.state == AskState::Waiting) {
            m_parts.say(approval::noticeOf(record.ask));
        }
    }
    for (const AskRecord& record : changed) {
        save(record);
    }
    for (const Inbox::Settled& settled : missed) {
        conclude(settled, "nobody answered: " + settled.record.ask.id.text());
    }
    for (const auto& use : m_parts.grants.takeUses()) {
        if (const auto noted = m_parts.answers.noteUse(use.id, use.hits, use.last, use.isUsedUp); !noted) {
            log(LogLevel::Warning, "session", "count the use of a grant: " + toString(noted.error()));
        }
    }
}

std::optional<SteadyTime> AskDesk::nextDeadline()
{
    const std::lock_guard lock(m_mutex);
    return m_inbox.nextDeadline();
}

bool AskDesk::isDue()
{
    const auto next = nextDeadline();
    return next && *next <= m_parts.clock.steadyNow();
}

std::uint32_t AskDesk::openCount()
{
    const std::lock_guard lock(m_mutex);
    return static_cast<std::uint32_t>(m_inbox.openCount());
}

Result<void> AskDesk::answer(const Answer& answer)
{
    std::optional<AskRecord> record;
    bool isWaitedFor = false;
    {
        const std::lock_guard lock(m_mutex);
        record = m_inbox.find(answer.id);
        if (record) {
            REVET_RETURN_IF_ERROR(m_inbox.check(answer.id, answer.what));
            isWaitedFor = !record->hasGivenUp;
        }
    }
    if (!record) {
        return answerMissed(answer);
    }
    // Before anything goes on: a yes that is not kept was none. Nobody else settles meanwhile.
    REVET_ASSIGN_OR_RETURN(const std::int64_t grant, remember(answer, *record, isWaitedFor));
    std::vector<Inbox::Settled> settled;
    {
        const std::lock_guard lock(m_mutex);
        REVET_ASSIGN_OR_RETURN(Inbox::Settled own, m_inbox.answer(answer.id, answer.what));
        settled.push_back(std::move(own));
        if (grant != 0 && answer.what.scope >= GrantScope::Session) {
            const auto isSame = [&record](const Ask& other) {
                return other.kind == record->ask.kind && other.target == record->ask.target;
            };
            std::ranges::move(m_inbox.settleWhere(isSame, answer.what.isApproved, answer.what.scope),
                              std::back_inserter(settled));
        }
    }
    const std::string words = (answer.what.isApproved ? "approved, " : "denied, ")
        + scopeWords(answer.what.scope, answer.until) + ": " + answer.id.text();
    for (const Inbox::Settled& one : settled) {
        conclude(one, words);
    }
    turn();
    return {};
}

Result<void> AskDesk::answerMissed(const Answer& answer)
{
    REVET_ASSIGN_OR_RETURN(auto record, m_parts.answers.ask(answer.id));
    if (!record || record->state != AskState::Missed) {
        const std::lock_guard lock(m_mutex);
        return m_inbox.check(answer.id, answer.what); // says what is wrong
    }
    if (record->ask.hash != answer.what.hash) {
        return fail(ErrorCode::Conflict, "answer " + answer.id.text(),
                    "the answer is to something else; look at it again");
    }
    REVET_RETURN_IF_ERROR(remember(answer, *record, false));
    {
        const std::lock_guard lock(m_mutex);
        if (answer.what.isApproved) {
            m_inbox.forgive(record->ask);
        }
    }
    --m_missed;
    record->state = answer.what.isApproved ? AskState::Approved : AskState::Denied;
    record->scope = answer.what.scope;
    record->settled = m_parts.clock.now();
    save(*record);
    tell(*record, answer.what.isApproved ? Verdict::Approved : Verdict::Denied,
         "for the next try: " + answer.id.text());
    return {};
}

Result<std::int64_t> AskDesk::remember(const Answer& answer, const AskRecord& record, bool isWaitedFor)
{
    const GrantScope scope = answer.what.scope;
    const bool isForNow
        = answer.what.isApproved ? scope == GrantScope::Once && isWaitedFor : scope <= GrantScope::Process;
    if (isForNow) {
        return 0; // a no to this alone is the inbox's to remember
    }
    Grant grant;
    grant.kind = record.ask.kind;
    grant.isAllowed = answer.what.isApproved;
    grant.scope = scope;
    grant.project = record.ask.project;
    grant.session = scope == GrantScope::Project ? SessionId() : record.ask.id.session;
    grant.target = record.ask.target;
    grant.chain = scope == GrantScope::Once ? approval::chainOf(record.ask.chain) : std::string();
    grant.origin = record.ask.id.text();
    grant.created = m_parts.clock.now();
    grant.expires = scope == GrantScope::Once ? std::optional(grant.created + kNextTry) : answer.until;
    REVET_ASSIGN_OR_RETURN(grant.id, m_parts.answers.addGrant(grant));
    std::set<ProcessNumber> processes;
    {
        const std::lock_guard lock(m_mutex);
        if (const auto askers = m_askers.find(answer.id); askers != m_askers.end()) {
            processes = askers->second;
        }
    }
    m_parts.grants.add(grant, std::move(processes));
    return grant.id;
}

Result<void> AskDesk::reloadGrants()
{
    REVET_ASSIGN_OR_RETURN(const auto grants,
                           m_parts.answers.grantsFor(m_setting.session, m_setting.project));
    m_parts.grants.replace(grants);
    return {};
}

void AskDesk::conclude(const Inbox::Settled& settled, const std::string& rule)
{
    {
        const std::lock_guard lock(m_mutex);
        m_askers.erase(settled.record.ask.id);
    }
    const bool isApproved = settled.record.state == AskState::Approved;
    save(settled.record);
    tell(settled.record, isApproved ? Verdict::Approved : Verdict::Denied, rule);
    std::vector<egress::ConnectionAnswer> answers;
    for (const std::uint64_t waiter : settled.waiters) {
        answers.push_back({waiter, isApproved, rule});
    }
    m_parts.settle(std::move(answers));
}

void AskDesk::save(const AskRecord& record)
{
    m_missed += record.state == AskState::Missed ? 1 : 0;
    // Nobody can answer what is not kept; it is denied when its time is over.
    if (const auto saved = m_parts.answers.saveAsk(record); !saved) {
        log(LogLevel::Error, "session", "keep a question: " + toString(saved.error()));
    }
}

void AskDesk::tell(const AskRecord& record, Verdict verdict, const std::string& rule)
{
    m_parts.recorder.note(factOf(record.ask.target, verdict, rule));
}

void AskDesk::close()
{
    std::vector<Inbox::Settled> missed;
    {
        const std::lock_guard lock(m_mutex);
        missed = m_inbox.close();
    }
    turn();
    for (const Inbox::Settled& settled : missed) {
        conclude(settled, "the session ended: " + settled.record.ask.id.text());
    }
}

} // namespace revet::session
