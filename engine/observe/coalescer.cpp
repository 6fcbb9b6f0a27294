// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/observe/coalescer.h"

#include "engine/observe/fact_window.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <mutex>
#include <string>
#include <utility>

namespace revet::observe {
namespace {

/// Long enough for a program's loop over one file, short enough for eyes that follow the timeline.
constexpr std::chrono::milliseconds kWindow{250};
/// How often it is looked for what is due.
constexpr std::chrono::milliseconds kGrain{50};
/// What is held back at most, some 32 MiB: beyond it the oldest go early.
constexpr std::size_t kHeldMaximum = 65536;
/// Four times what a box of two cores can cause and a journal can take: only a flood gets there.
constexpr std::uint32_t kRowsPerSecond = 200'000;

/// File facts are many by nature; who ran, what crossed a wall and what was refused always has its row.
[[nodiscard]] bool isThinnable(const Event& event)
{
    return event.kind >= ActionKind::Read && event.kind <= ActionKind::Chmod
        && !isSecurityRelevant(event.verdict);
}

} // namespace

class Coalescer::Private
{
public:
    Private(const Clock& source, Output target)
        : clock(source)
        , output(std::move(target))
        , secondBegan(source.steadyNow())
    {
    }

    void pass(Event event)
    {
        if (isThinnable(event)) {
            if (rows >= kRowsPerSecond) {
                dropped.at(static_cast<std::size_t>(event.kind)) += event.count;
                return;
            }
            ++rows;
        }
        output(std::move(event));
    }

    void passHeld(std::size_t most)
    {
        while (held.size() > most) {
            pass(*held.takeOldest());
        }
    }

    /// Repeats of a row that is out already get one row of their own.
    void passRepeats(std::optional<Event> repeats)
    {
        if (repeats && repeats->count > 0) {
            pass(std::move(*repeats));
        }
    }

    /// Whether flush(Due) will have something to do, if only later.
    [[nodiscard]] bool holdsSomething() const
    {
        return held.size() + announced.size() > 0
            || std::any_of(dropped.begin(), dropped.end(), [](std::uint64_t count) { return count > 0; });
    }

    void beginSecond(SteadyTime now)
    {
        secondBegan = now;
        rows = 0;
        const std::array<std::uint64_t, kActionKindCount> counts = std::exchange(dropped, {});
        std::string text;
        std::uint64_t sum = 0;
        for (std::size_t kind = 0; kind < counts.size(); ++kind) {
            if (counts.at(kind) > 0) {
                text += (text.empty() ? "" : ", ") + std::string(toString(static_cast<ActionKind>(kind)))
                    + ' ' + std::to_string(counts.at(kind));
                sum += counts.at(kind);
            }
        }
        if (sum == 0) {
            return;
        }
        Event limit;
        limit.time = clock.now();
        limit.kind = ActionKind::Limit;
        limit.target = std::move(text);
        limit.rule = "flood of facts";
        limit.detail = static_cast<std::int64_t>(sum);
        output(std::move(limit));
    }

    const Clock& clock;
    const Output output;
    std::mutex mutex; ///< guards what follows, and the order of the output
    std::condition_variable changed; ///< for flushWhenDue()
    bool isStopping = false;
    FactWindow held; ///< ordinary ones: out when their window ends, with their count
    FactWindow announced; ///< security-relevant ones: out at once, their repeats when the window ends
    SteadyTime secondBegan;
    std::uint32_t rows = 0;
    std::array<std::uint64_t, kActionKindCount> dropped{};
};

Coalescer::Coalescer(const Clock& clock, Output output)
    : d(std::make_unique<Private>(clock, std::move(output)))
{
}

Coalescer::~Coalescer() = default;

void Coalescer::add(ProcessNumber process, Fact fact)
{
    const std::lock_guard lock(d->mutex);
    const SteadyTime now = d->clock.steadyNow();
    if (now - d->secondBegan >= std::chrono::seconds(1)) {
        d->beginSecond(now);
    }
    const bool isUrgent = isSecurityRelevant(fact.verdict);
    FactWindow& window = isUrgent ? d->announced : d->held;
    if (Event* const repeated = window.find(process, fact, now)) {
        ++repeated->count;
        return;
    }
    if (!d->holdsSomething()) {
        d->changed.notify_one();
    }
    Event event;
    event.time = d->clock.now();
    event.kind = fact.kind;
    event.verdict = fact.verdict;
    event.reach = fact.reach;
    event.process = process;
    event.target = std::move(fact.target);
    event.other = std::move(fact.other);
    event.rule = std::move(fact.rule);
    event.errnoValue = fact.errnoValue;
    event.detail = fact.detail;
    if (!isUrgent) {
        d->held.push(std::move(event), now + kWindow);
        d->passHeld(kHeldMaximum);
        return;
    }
    d->passHeld(0); // what led to it comes before it
    d->pass(event);
    event.count = 0;
    d->announced.push(std::move(event), now + kWindow);
    if (d->announced.size() > kHeldMaximum) {
        d->passRepeats(d->announced.takeOldest());
    }
}

void Coalescer::flush(Flush flush)
{
    const std::lock_guard lock(d->mutex);
    const SteadyTime now = flush == Flush::All ? SteadyTime::max() : d->clock.steadyNow();
    while (std::optional<Event> event = d->held.takeDue(now)) {
        d->pass(std::move(*event));
    }
    while (std::optional<Event> event = d->announced.takeDue(now)) {
        d->passRepeats(std::move(event));
    }
    if (flush == Flush::All || now - d->secondBegan >= std::chrono::seconds(1)) {
        d->beginSecond(d->clock.steadyNow());
    }
}

bool Coalescer::flushWhenDue()
{
    {
        std::unique_lock lock(d->mutex);
        d->changed.wait(lock, [this] { return d->isStopping || d->holdsSomething(); });
        if (d->changed.wait_for(lock, kGrain, [this] { return d->isStopping; })) {
            return false;
        }
    }
    flush(Flush::Due);
    return true;
}

void Coalescer::stop()
{
    const std::lock_guard lock(d->mutex);
    d->isStopping = true;
    d->changed.notify_one();
}

} // namespace revet::observe
