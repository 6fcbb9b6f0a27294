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
/// How often counts are saved.
constexpr std::chrono::seconds kCountEach{1};

ActionKind actionOf(AskKind kind)
{
    switch (kind) {
    case AskKind::Destination:
        return ActionKind::Connect;
    case AskKind::Brake:
        return ActionKind::Delete;
    case AskKind::RunLater:
        return ActionKind::Write;
    case AskKind::Path:
    case AskKind::PathWrite:
        return ActionKind::Read;
    case AskKind::HostPort:
    case AskKind::Publish:
    case AskKind::Socket:
        break;
    }
    return ActionKind::Connect;
}

Fact factOf(AskKind kind, const std::string& target, Verdict verdict, std::string rule)
{
    Fact fact;
    fact.kind = actionOf(kind);
    fact.verdict = verdict;
    fact.reach = Reach::None; // what is done then has its own row
    fact.target = target;
    fact.rule = std::move(rule);
    return fact;
}

Fact floodFact(const std::string& target, std::string rule)
{
    Fact fact = factOf(AskKind::Destination, target, Verdict::Denied, std::move(rule));
    fact.kind = ActionKind::Limit;
    return fact;
}

/// A yes for once is to what was shown. Nobody knows what the next try would write.
Result<void> checkWaits(const AskRecord& record, const Inbox::Answer& answer, bool isWaitedFor)
{
    return record.ask.kind == AskKind::RunLater && answer.isApproved && answer.scope == GrantScope::Once
            && !isWaitedFor
        ? fail(ErrorCode::Refused, "answer " + record.ask.id.text(),
               "nothing waits to write that any more; `--scope session` permits whatever comes there")
        : Result<void>();
}

std::string missedRule(const Inbox::Settled& settled)
{
    return "nobody answered: " + settled.record.ask.id.text();
}

std::string endRule(const Inbox::Settled& settled)
{
    return "the session ended: " + settled.record.ask.id.text();
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

ProcessBook::Story AskDesk::storyOf(ProcessNumber process)
{
    ProcessBook::Story story = m_parts.recorder.storyOf(process);
    story.chain = approval::bounded(std::move(story.chain));
    return story;
}

egress::Asker::Reply AskDesk::ask(std::uint64_t connection, std::uint64_t socket,
                                  const egress::Destination& destination)
{
    using Reply = egress::Asker::Reply;
    const ProcessNumber process = m_parts.ownerOf(socket);
    ProcessBook::Story story = storyOf(process);
    const approval::GrantBook::Claimant claimant{process, approval::chainOf(story.chain)};
    const WallTime now = m_parts.clock.now();
    const std::lock_guard lock(m_mutex); // an answer is either in force or not given yet
    const auto granted = destination.name
        ? m_parts.grants.judge(*destination.name, destination.port, &claimant, now)
        : m_parts.grants.judge(destination.address, destination.port, &claimant, now);
    if (granted) {
        wake(); // what is used up is to be known
        return {granted->isAllowed ? Reply::Kind::Permitted : Reply::Kind::Refused, granted->rule};
    }
    Inbox::Raised raised = raise(destinationWish(process, std::move(story), destination), connection);
    return raised.waits ? Reply{Reply::Kind::Waits, {}} : Reply{Reply::Kind::Refused, std::move(raised.rule)};
}

Inbox::Wish AskDesk::destinationWish(ProcessNumber process, ProcessBook::Story story,
                                     const egress::Destination& destination) const
{
    Inbox::Wish wish;
    wish.target = destination.text();
    wish.process = process;
    wish.chain = std::move(story.chain);
    wish.cwd = std::move(story.cwd);
    wish.why = "no rule of the session or the project is about it";
    const bool hasSome = m_parts.hasRules || m_parts.grants.hasAllowed(m_parts.clock.now());
    wish.from = hasSome ? Reach::Beyond : Reach::None;
    wish.scopes.assign(kAllGrantScopes.begin(), kAllGrantScopes.end());
    return wish;
}

AskDesk::Claimed AskDesk::claim(ProcessNumber process, const egress::Destination& destination,
                                const RuleDecider& decider, const std::string& reason)
{
    using State = ipc::AccessState;
    ProcessBook::Story story = storyOf(process);
    const std::lock_guard lock(m_mutex); // an answer is either in force or not given yet
    const auto decision = decider.foresee(destination, {process, approval::chainOf(story.chain)});
    if (decision.isPermitted || !decision.mayAsk || destination.isNeverReached()) {
        return {decision.isPermitted ? State::Permitted : State::Refused};
    }
    Inbox::Wish wish = destinationWish(process, std::move(story), destination);
    wish.claim = reason;
    const AskId ask = raiseOnly(std::move(wish));
    return {ask.number == 0 ? State::Refused : State::Open, ask};
}

AskId AskDesk::raiseOnly(Inbox::Wish wish)
{
    constexpr std::uint64_t kNobody = std::uint64_t{1} << 62U; // connections are numbered from 1
    const Inbox::Waiter nobody = kNobody | ++m_unwaited;
    static_cast<void>(raise(std::move(wish), nobody)); // what is refused here is refused where it is tried
    const AskId ask = m_inbox.askOf(nobody);
    leave(nobody);
    return ask;
}

Inbox::Raised AskDesk::raise(Inbox::Wish wish, Inbox::Waiter waiter)
{
    const ProcessNumber process = wish.process;
    const std::string target = wish.target;
    Inbox::Raised raised = m_inbox.raise(std::move(wish), waiter);
    if (raised.isFlood) {
        m_parts.recorder.record(process, floodFact(target, raised.rule));
        m_isOver = m_inbox.asksNoMore();
        wake();
    }
    if (raised.news) {
        tellNew(process, *std::move(raised.news));
    }
    if (raised.waits) {
        noteChanged(m_inbox.askOf(waiter));
    }
    return raised;
}

void AskDesk::tellNew(ProcessNumber process, AskRecord record)
{
    const Ask& ask = record.ask;
    m_parts.recorder.record(process, factOf(ask.kind, ask.target, Verdict::Asked, "ask " + ask.id.text()));
    m_new.push_back(std::move(record));
    wake();
}

void AskDesk::noteChanged(const AskId& id)
{
    if (m_changed.empty()) {
        wake(); // for the new deadline
    }
    m_changed.insert(id);
}

void AskDesk::left(std::uint64_t connection)
{
    const std::lock_guard lock(m_mutex);
    leave(connection);
}

void AskDesk::leave(Inbox::Waiter waiter)
{
    if (const AskId id = m_inbox.askOf(waiter); id.number != 0) {
        m_inbox.leave(waiter);
        noteChanged(id);
    }
}

void AskDesk::turn()
{
    eventfd_t count = 0;
    ::eventfd_read(m_news.get(), &count);
    std::vector<AskRecord> fresh;
    std::vector<AskRecord> changed;
    std::vector<Inbox::Settled> missed;
    bool isOver = false;
    {
        const std::lock_guard lock(m_mutex);
        fresh = std::exchange(m_new, {});
        isOver = std::exchange(m_isOver, false);
        if (const SteadyTime now = m_parts.clock.steadyNow(); now >= m_savedCounts + kCountEach) {
            m_savedCounts = now;
            for (const AskId& id : std::exchange(m_changed, {})) {
                if (auto record = m_inbox.find(id)) {
                    changed.push_back(*std::move(record));
                }
            }
        }
        missed = m_inbox.expire();
        for (const Inbox::Settled& settled : missed) {
            noteWords(settled, missedRule(settled));
        }
    }
    if (isOver) {
        const std::string id = m_setting.session.text();
        m_parts.say("revet " + id
                    + ": it has asked too often, or got nothing but noes, and can ask nothing new; "
                    + "'revet grant " + id + " --allow-host HOST' permits");
    }
    for (const AskRecord& record : fresh) {
        save(record);
        if (record.state == AskState::Waiting) {
            m_parts.say(approval::noticeOf(record.ask));
            m_parts.desktop.show(record);
        }
    }
    for (const AskRecord& record : changed) {
        save(record);
    }
    for (const Inbox::Settled& settled : missed) {
        conclude(settled, missedRule(settled));
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
    std::optional<SteadyTime> next = m_inbox.nextDeadline();
    if (!m_changed.empty()) {
        next = std::min(next.value_or(SteadyTime::max()), m_savedCounts + kCountEach);
    }
    return next;
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

Result<std::int64_t> AskDesk::answer(const Answer& answer)
{
    const std::string words = (answer.what.isApproved ? "approved, " : "denied, ")
        + scopeWords(answer.what.scope, answer.until) + ": " + answer.id.text();
    std::int64_t grant = 0;
    std::vector<Inbox::Settled> settled;
    {
        const std::lock_guard lock(m_mutex);
        const auto record = m_inbox.find(answer.id);
        if (!record) {
            return answerMissed(answer);
        }
        REVET_RETURN_IF_ERROR(m_inbox.check(answer.id, answer.what));
        REVET_RETURN_IF_ERROR(checkWaits(*record, answer.what, !record->hasGivenUp));
        // Before anything goes on: a yes that is not kept was none.
        REVET_ASSIGN_OR_RETURN(grant,
                               remember(answer, *record, !record->hasGivenUp, m_inbox.processOf(answer.id)));
        REVET_ASSIGN_OR_RETURN(Inbox::Settled own, m_inbox.answer(answer.id, answer.what));
        if (own.next) {
            tellNew(m_inbox.processOf(own.next->ask.id), *own.next);
        }
        settled.push_back(std::move(own));
        const bool isForAll = answer.what.scope >= GrantScope::Session; // whatever is written there
        if (!answer.what.isApproved || isForAll) {
            const auto isSame = [&record, isForAll](const Ask& other) {
                return isForAll ? other.kind == record->ask.kind && other.target == record->ask.target
                                : Inbox::isSameMatter(other, record->ask);
            };
            std::ranges::move(m_inbox.settleWhere(isSame, answer.what.isApproved, answer.what.scope),
                              std::back_inserter(settled));
        }
        for (const Inbox::Settled& one : settled) {
            noteWords(one, words);
        }
    }
    for (const Inbox::Settled& one : settled) {
        conclude(one, words);
    }
    turn();
    return grant;
}

Result<std::int64_t> AskDesk::answerMissed(const Answer& answer)
{
    REVET_ASSIGN_OR_RETURN(auto record, m_parts.answers.ask(answer.id));
    if (!record || record->state != AskState::Missed) {
        REVET_RETURN_IF_ERROR(m_inbox.check(answer.id, answer.what)); // says what is wrong
        return 0;
    }
    if (record->ask.hash != answer.what.hash) {
        return fail(ErrorCode::Conflict, "answer " + answer.id.text(),
                    "the answer is to something else; look at it again");
    }
    REVET_RETURN_IF_ERROR(Inbox::checkScope(record->ask, answer.what));
    REVET_RETURN_IF_ERROR(checkWaits(*record, answer.what, false));
    if (answer.what.isApproved && answer.what.scope == GrantScope::Process) {
        return fail(ErrorCode::Refused, "answer " + answer.id.text(),
                    "no process waits for it; once is for the next try");
    }
    REVET_ASSIGN_OR_RETURN(const std::int64_t grant, remember(answer, *record, false));
    if (answer.what.isApproved) {
        m_inbox.forgive(record->ask);
    }
    --m_missed;
    record->state = answer.what.isApproved ? AskState::Approved : AskState::Denied;
    record->scope = answer.what.scope;
    record->settled = m_parts.clock.now();
    save(*record);
    tell(*record, answer.what.isApproved ? Verdict::Approved : Verdict::Denied,
         "for the next try: " + answer.id.text());
    return grant;
}

Result<std::int64_t> AskDesk::remember(const Answer& answer, const AskRecord& record, bool isWaitedFor,
                                       ProcessNumber process)
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
    m_parts.grants.add(grant, process);
    return grant.id;
}

void AskDesk::reopen(const AskId& id)
{
    if (auto record = m_parts.answers.ask(id); record && *record) { // else it is as it was, which is told
        (*record)->state = AskState::Missed;
        save(**record);
    }
}

Result<std::vector<Grant>> AskDesk::reloadGrants()
{
    REVET_ASSIGN_OR_RETURN(auto grants, m_parts.answers.grantsFor(m_setting.session, m_setting.project));
    m_parts.grants.replace(grants);
    return grants;
}

void AskDesk::noteWords(const Inbox::Settled& settled, const std::string& rule)
{
    const Ask& ask = settled.record.ask;
    if (ask.kind == AskKind::Destination) {
        return; // connections are told
    }
    const bool isApproved = settled.record.state == AskState::Approved;
    for (const Inbox::Waiter waiter : settled.waiters) { // calls come for it by themselves
        m_words[waiter].insert_or_assign({ask.kind, ask.target}, Word{isApproved, rule, ask.why});
    }
}

void AskDesk::conclude(const Inbox::Settled& settled, const std::string& rule)
{
    const bool isApproved = settled.record.state == AskState::Approved;
    m_parts.desktop.close(settled.record.ask.id);
    save(settled.record);
    tell(settled.record, isApproved ? Verdict::Approved : Verdict::Denied, rule);
    if (settled.record.ask.kind != AskKind::Destination) {
        return;
    }
    std::vector<egress::ConnectionAnswer> answers;
    for (const Inbox::Waiter waiter : settled.waiters) {
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
    m_parts.recorder.note(factOf(record.ask.kind, record.ask.target, verdict, rule));
}

void AskDesk::close()
{
    std::vector<Inbox::Settled> missed;
    {
        const std::lock_guard lock(m_mutex);
        missed = m_inbox.close();
        for (const Inbox::Settled& settled : missed) {
            noteWords(settled, endRule(settled));
        }
    }
    turn();
    for (const Inbox::Settled& settled : missed) {
        conclude(settled, endRule(settled));
    }
}

} // namespace revet::session
