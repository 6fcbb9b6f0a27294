// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/domain/ask.h"

#include <cstdint>
#include <string>

namespace revet::supervisor {

/// What a call wants that the box may not do by itself, but the person can permit. Made of what we resolved
/// and read ourselves, anew at each try; another one is another question.
struct Crossing
{
    AskKind kind = AskKind::RunLater;
    std::string target; ///< with the kind, by which two are the same
    std::string why; ///< in words of ours, with bytes of the box's
};

/// A call and who makes it.
struct Caller
{
    int tid = 0;
    std::uint64_t call = 0; ///< the notification's id, the same at each try
};

/// Whoever asks the person. Called on the supervisor's threads, one at a time; never blocks.
class Crossings
{
public:
    Crossings() = default;
    Crossings(const Crossings&) = delete;
    Crossings& operator=(const Crossings&) = delete;
    Crossings(Crossings&&) = delete;
    Crossings& operator=(Crossings&&) = delete;
    virtual ~Crossings() = default;

    /// Whether it has been permitted, to this call or beyond.
    [[nodiscard]] virtual bool permits(const Caller& caller, const Crossing& crossing) = 0;
    struct Reply
    {
        bool waits = false; ///< nothing is decided: try the call again; else it is refused, and why:
        std::string rule;
    };
    /// Of what is not permitted.
    [[nodiscard]] virtual Reply ask(const Caller& caller, const Crossing& crossing) = 0;
    /// The call has been answered, or nobody waits for it any more.
    virtual void over(std::uint64_t call) = 0;
};

/// The question of the call that has its turn.
class CallersQuestion
{
public:
    /// `crossings` outlives this; none: nobody can be asked.
    explicit CallersQuestion(Crossings* crossings)
        : m_crossings(crossings)
    {
    }
    void begin(const Caller& caller) { m_caller = caller; }
    [[nodiscard]] bool isPermitted(const Crossing& crossing) const
    {
        return m_crossings != nullptr && m_crossings->permits(m_caller, crossing);
    }
    [[nodiscard]] Crossings::Reply ask(const Crossing& crossing) const
    {
        return m_crossings == nullptr ? Crossings::Reply{} : m_crossings->ask(m_caller, crossing);
    }
    void over(std::uint64_t call) const
    {
        if (m_crossings != nullptr) {
            m_crossings->over(call);
        }
    }

private:
    Crossings* m_crossings;
    Caller m_caller;
};

} // namespace revet::supervisor
