// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/clock.h"
#include "engine/domain/grant.h"
#include "engine/domain/places.h"
#include "engine/policy/hidden.h"
#include "engine/policy/run_later.h"
#include "engine/session/forwarded_ports.h"
#include "engine/session/keeper_errands.h"
#include "engine/session/recorder.h"
#include "engine/supervisor/granted_places.h"
#include "engine/tiers/box_spec.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace revet::session {

/// What the person gives a running box besides hosts (paths, ports and sockets of this machine) and takes
/// away again. One thread.
class LiveGrants
{
public:
    /// What is borrowed outlives this.
    struct Parts
    {
        const Clock& clock;
        const tiers::BoxSpec& spec;
        const Places& places;
        Recorder& recorder;
        supervisor::GrantedPlaces& granted;
        KeeperErrands& errands;
        std::filesystem::path directory; ///< the session's
        std::function<Result<policy::HiddenTable>()> hidden;
        std::function<Result<policy::RunLaterTable>()> runLater;
        std::function<Result<ForwardedPorts*>()> ports; ///< as soon as they are wanted
        std::function<void()> treeChanged;
        std::function<pid_t()> init; ///< of the box
    };
    explicit LiveGrants(Parts parts)
        : m_parts(std::move(parts))
    {
    }

    /// The box has what `grants` permit now, and of what they did before nothing more. What fails is
    /// recorded; the error is about the grant `asked`.
    [[nodiscard]] Result<void> apply(const std::vector<Grant>& grants, std::int64_t asked);
    /// Takes away what is over by what it knows already.
    void withdrawOver();
    /// Until that has something to do: one is over then, or is tried again.
    [[nodiscard]] std::optional<std::chrono::microseconds> untilNext() const;

    /// Whether a grant is one of these.
    [[nodiscard]] static bool isAbout(AskKind kind);

private:
    using Withdrawal = std::function<Result<std::string>()>; ///< who still has it open
    struct Given
    {
        Grant grant;
        Withdrawal withdraw;
        std::optional<SteadyTime> again = std::nullopt; ///< it could not be taken away: when to try anew
        std::chrono::seconds pause{1}; ///< until then
    };
    /// Until it is to be taken away; none: that is for others to say.
    [[nodiscard]] std::optional<std::chrono::microseconds> until(const Given& given) const;
    [[nodiscard]] Result<void> giveAndTell(const Grant& grant);
    [[nodiscard]] Result<void> withdraw(Given& given);
    [[nodiscard]] Result<Withdrawal> give(const Grant& grant);
    [[nodiscard]] Result<Withdrawal> show(const Grant& grant);
    [[nodiscard]] Result<Withdrawal> openPort(const Grant& grant);
    [[nodiscard]] Result<Withdrawal> relay(const Grant& grant);
    [[nodiscard]] Result<Withdrawal> mountRelay(const std::string& target, const std::string& ours);
    /// Refused where the box has something there that this would cover, or has the path already.
    [[nodiscard]] Result<void> checkRoom(const std::string& path) const;
    [[nodiscard]] Result<Withdrawal> mount(launcher::Errand errand);
    void tell(const Grant& grant, Verdict verdict, Reach reach, const std::string& rule);
    [[nodiscard]] bool isGiven(AskKind kind, const std::string& target) const;

    Parts m_parts;
    std::map<std::int64_t, Given> m_given; ///< by the grant's number
    std::set<std::int64_t> m_refused; ///< what could not be given, which is told once
    std::vector<std::string> m_written; ///< what the box could ever write of the host's besides its roots
};

} // namespace revet::session
