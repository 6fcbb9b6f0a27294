// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/clock.h"
#include "engine/domain/event.h"

#include <functional>
#include <memory>

namespace revet::observe {

/// Turns facts into events: repeats of the same (process, kind, verdict, target, other, rule, errno) within a
/// window become one event with a count; a flood of distinct ordinary facts is thinned to one `limit` event
/// that says how many were dropped of which kind, while security-relevant ones always pass. Thread-safe.
class Coalescer
{
public:
    using Output = std::function<void(Event)>; ///< called in order, with the lock held: hand over and return

    Coalescer(const Clock& clock, Output output);
    ~Coalescer();
    Coalescer(const Coalescer&) = delete;
    Coalescer& operator=(const Coalescer&) = delete;
    Coalescer(Coalescer&&) = delete;
    Coalescer& operator=(Coalescer&&) = delete;

    void add(ProcessNumber process, Fact fact);
    /// Lets go of everything whose window is over, or of all at the end. May wait for the output.
    enum class Flush { Due, All };
    void flush(Flush flush);
    /// Sleeps until something is due and lets it go; called in a loop by one thread of the owner. While
    /// nothing is held back it does not wake. False after stop().
    [[nodiscard]] bool flushWhenDue();
    void stop();

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace revet::observe
