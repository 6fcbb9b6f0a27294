// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/supervisor/call.h"
#include "engine/supervisor/fact_sink.h"
#include "engine/supervisor/resolver.h"
#include "engine/supervisor/target.h"

namespace revet::supervisor {

/// Facts about calls that are left to the kernel, so what it will make of them is foreseen, not known: for
/// the record only. Its failures are the target's own reads that failed. One thread.
class Forecast
{
public:
    Forecast(const BoxView& box, Resolver& resolver, FactSink& facts);

    [[nodiscard]] Result<void> readingOpen(Target& target, const Call& call);
    /// A mutation outside the brokered roots, or one that the broker leaves to the kernel.
    [[nodiscard]] Result<void> mutation(Target& target, const Call& call);
    /// The same by a process that does not see the box's own tree: the read-only view will refuse it.
    void foreignMutation(Target& target, const Call& call);
    /// Tells the sink of the program, by the path that is run; nothing when there is none.
    [[nodiscard]] Result<void> exec(Target& target, const PathArgument& program);
    /// Only what is withheld: the directory itself is read later, if at all.
    [[nodiscard]] Result<void> directoryChange(Target& target, const PathArgument& directory);
    /// Only what is withheld. None when the socket is there; else the errno that the box gets.
    [[nodiscard]] Result<std::optional<int>> localConnect(Target& target, const PathArgument& socket);

private:
    [[nodiscard]] Result<void> recordMutation(Target& target, const Call& call);
    /// What could not be looked at for want of our own means fails: it may not go on unseen.
    [[nodiscard]] Result<void> exhaustion();
    void withheld(Target& target, ActionKind kind, const Sighting& sighting);
    void changed(Target& target, ActionKind kind, const Resolver::Look& look, Fact fact);
    void created(Target& target, const Call& call, ActionKind kind, const std::string& claimed,
                 std::string other);
    void writingOpen(Target& target, const Call& call, const std::string& claimed);
    void removal(Target& target, const Call& call, const std::string& claimed);
    [[nodiscard]] Result<void> twoNames(Target& target, const Call& call, const std::string& claimed);

    const BoxView& m_box;
    Resolver& m_resolver;
    FactSink& m_facts;
    int m_exhausted = 0; ///< errno of a look in the current call
};

} // namespace revet::supervisor
