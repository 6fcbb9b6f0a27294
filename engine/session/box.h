// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"
#include "engine/launcher/gateway.h"
#include "engine/launcher/plan.h"
#include "engine/launcher/wire.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <sys/types.h>

namespace revet::session {

/// One box from outside: the launcher's process and the two sockets to it. Destroying it ends the box.
/// Must be started from a thread that lives as long as the process, since the launcher dies with its parent
/// thread.
class Box
{
public:
    Box() = default;
    Box(Box&& other) noexcept;
    Box& operator=(Box&& other) noexcept;
    Box(const Box&) = delete;
    Box& operator=(const Box&) = delete;
    ~Box();

    /// Starts revet-launch, for a plan that comes later. Does not wait for it.
    [[nodiscard]] static Result<Box> start(std::string launcher);
    /// Lets it do the first steps of that plan already.
    [[nodiscard]] Result<void> begin(std::vector<launcher::Step> firstSteps);
    /// Hands over the plan. One that does not begin with the first steps gets a new revet-launch.
    [[nodiscard]] Result<void> build(launcher::Plan plan);

    struct Message
    {
        launcher::Report report;
        std::vector<UniqueFd> descriptors; ///< what the report brings
        [[nodiscard]] UniqueFd descriptor(); ///< the first, given up to the caller; none where there is none
    };
    /// The next report of pid 1; blocks. Closed when it is gone.
    [[nodiscard]] Result<Message> receiveFromInit() const;
    [[nodiscard]] int keeperSocket() const { return m_keeperSocket.get(); }
    [[nodiscard]] int initSocket() const { return m_initSocket.get(); }

    /// Waits until the keeper's tree and pid 1 are there; returns the tree's root (O_PATH). A failed step
    /// comes back as an Error whose operation names it. Closed when `frontEnd` (-1: nobody's) hangs up
    /// before, TimedOut where a file system of the view does not answer.
    [[nodiscard]] Result<UniqueFd> waitUntilReady(int frontEnd = -1);

    /// What the plan's gateway is worked through, once, after waitUntilReady(); empty without one.
    [[nodiscard]] launcher::GatewaySockets takeGateway() { return std::move(m_gateway); }

    /// May come as soon as there is a plan: pid 1 takes it up when the box is ready.
    [[nodiscard]] Result<void> spawn(std::uint32_t number, const launcher::SpawnRequest& request,
                                     std::span<const int> streams) const;
    [[nodiscard]] Result<void> signal(std::uint32_t number, int signalNumber) const;
    [[nodiscard]] Result<void> resume(std::uint32_t number) const;

    /// Our end of a new socket for launcher::Errand, after waitUntilReady(); the keeper leaves the one
    /// before.
    [[nodiscard]] Result<UniqueFd> openErrands() const;

    [[nodiscard]] pid_t keeper() const { return m_keeper; }
    [[nodiscard]] pid_t init() const { return m_init; }
    /// pid 1 says that it is alone.
    void noteEmpty() { m_isEmpty = true; }
    /// Ends every process of the box but a pid 1 that is alone, and waits until they are gone.
    void endProcesses();
    /// The same, and waits until the keeper has cleaned up. Idempotent.
    void end();

private:
    void swap(Box& other) noexcept;
    void endInit();
    [[nodiscard]] Result<void> sendPlan(const launcher::Plan& part) const;

    std::string m_launcher;
    std::vector<launcher::Step> m_firstSteps;
    bool m_isEmpty = false;
    bool m_isGone = false; ///< every process of the box is
    pid_t m_keeper = -1;
    pid_t m_init = -1;
    UniqueFd m_initHandle; ///< pidfd of pid 1: its end means that every process of the box is gone
    UniqueFd m_keeperSocket;
    UniqueFd m_initSocket;
    launcher::GatewaySockets m_gateway;
    bool m_awaitsGateway = false;
};

} // namespace revet::session
