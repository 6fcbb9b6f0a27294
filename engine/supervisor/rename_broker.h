// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/supervisor/broker_context.h"

#include <optional>
#include <string>
#include <variant>

namespace revet::supervisor {

/// Renames in a brokered root, by rules G1, G2 and G4.
class RenameBroker
{
public:
    explicit RenameBroker(const BrokerContext& context)
        : m_context(context)
    {
    }
    [[nodiscard]] Answer perform(const Call& call, Target& target) const;

private:
    struct Move;
    struct Contents
    {
        std::string before; ///< empty where there is nothing
        std::string after;
    };
    /// None where the kernel will refuse the call anyway.
    [[nodiscard]] std::optional<Precaution> keep(const Move& move) const;
    [[nodiscard]] Judgement judge(const Move& move) const;
    [[nodiscard]] Judgement judgeOneWay(const Place& from, const struct stat& status, const Place& to) const;
    /// Content that git's rules refuse, unless the person has seen just that.
    [[nodiscard]] Judgement unlessShown(Judgement refusal, const std::string& path,
                                        const Contents& contents) const;
    /// Rule G2: the checked bytes go into an inode that nobody of the box can write to.
    [[nodiscard]] Answer installJudged(const Move& move, const GitFinding& finding, const Deed& deed) const;
    /// What the host runs later: likewise, where the person has seen it.
    [[nodiscard]] Answer installShown(const Move& move, const Deed& deed) const;
    /// Of both ends of the move; else the answer.
    [[nodiscard]] std::variant<Contents, Answer> readBoth(const Move& move, const Deed& deed,
                                                          const char* rule) const;
    [[nodiscard]] Answer install(const Move& move, const std::string& content, const Deed& deed) const;

    const BrokerContext& m_context;
};

} // namespace revet::supervisor
