// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// What a session's person gives its box while it runs, and for how long; and what stays hidden from it.

#include "engine/session/grantable_path.h"
#include "engine/session/running_session.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace revet::session {

namespace {

/// Between two looks at a grant's end.
constexpr std::chrono::milliseconds kSoonest{100};
constexpr std::chrono::seconds kOftenest{30};

} // namespace

Result<ForwardedPorts*> RunningSession::ports()
{
    if (!m_connections) {
        return fail(ErrorCode::Refused, "open a port",
                    "its box was made without a network; start it again to use it");
    }
    if (!m_ports) {
        const auto onFailure = [this](const Error& error) { failNetwork(error); };
        REVET_ASSIGN_OR_RETURN(auto ports,
                               ForwardedPorts::start(m_errands, *m_connections, m_clock, onFailure));
        m_ports.emplace(std::move(ports));
    }
    return &*m_ports;
}

PathOffers::MayBeGiven RunningSession::mayBeGiven(const ShippedData& data, const Places& places) const
{
    const std::string& home = m_preparation.spec.home;
    return [&data, &places, &home,
            hidden = std::optional<policy::HiddenTable>()](const std::string& path) mutable {
        if (!hidden) {
            auto table = data.hidden(home);
            if (!table) {
                return false;
            }
            hidden = *std::move(table);
        }
        return grantablePath(path, home, places, *hidden).has_value();
    };
}

Result<void> RunningSession::startGrants(const ShippedData& data, const Places& places)
{
    if (!m_desk) {
        return {};
    }
    const std::string& home = m_preparation.spec.home;
    m_live.emplace(LiveGrants::Parts{
        m_clock, m_preparation.spec, places, *m_recorder, *m_granted, m_errands,
        places.sessionDirectory(m_preparation.info.id), [&data, &home] { return data.hidden(home); },
        [&data] { return data.runLater(); }, [this] { return ports(); },
        [this] { m_supervisor->treeChanged(); }, [this] { return m_box.init(); }});
    refreshGrants(); // what cannot be given any more is told; the box is the poorer for it
    return {};
}

void RunningSession::endGrants()
{
    const auto left = m_live ? m_live->untilNext() : std::nullopt;
    if (left && *left <= std::chrono::microseconds(0)) {
        m_live->withdrawOver(); // whether or not the catalogue can be read
        refreshGrants();
    }
}

void RunningSession::refreshGrants()
{
    if (const auto loaded = reloadGrants(0); !loaded) {
        m_recorder->note({ActionKind::Session,
                          Verdict::Failed,
                          Reach::None,
                          "its grants could not be read",
                          {},
                          toString(loaded.error()),
                          0,
                          0});
    }
}

Result<void> RunningSession::reloadGrants(std::int64_t asked)
{
    REVET_ASSIGN_OR_RETURN(const auto grants, m_desk->reloadGrants());
    Result<void> applied = m_live->apply(grants, asked);
    const auto grant = std::ranges::find(grants, asked, &Grant::id);
    if (grant == grants.end() || !grant->isAllowed || hasNetworkFor(grant->kind)) {
        return applied;
    }
    // A project's grant is for those of its sessions that can use it.
    return grant->session.isNone() ? Result<void>()
                                   : fail(ErrorCode::Refused, "change its grants",
                                          "its box was made without a network; start it again to use it");
}

bool RunningSession::hasNetworkFor(AskKind kind) const
{
    switch (kind) {
    case AskKind::Destination:
        return m_egress.has_value();
    case AskKind::HostPort:
    case AskKind::Publish:
    case AskKind::Socket:
        return m_connections.has_value();
    case AskKind::Path:
    case AskKind::PathWrite:
    case AskKind::Brake:
    case AskKind::RunLater:
        break;
    }
    return true;
}

Result<void> RunningSession::startMasks(UniqueFd tree)
{
    if (!m_preparation.spec.masked.empty()) {
        REVET_ASSIGN_OR_RETURN(
            auto masks,
            MaskKeeper::create(m_preparation.spec,
                               {m_clock, *m_recorder, m_errands, [this] { m_supervisor->treeChanged(); },
                                std::move(tree), m_box.keeper()}));
        m_masks.emplace(std::move(masks));
        m_masks->check(); // what has changed before it was watched
    }
    return {};
}

void RunningSession::keepMasks(bool haveMountsChanged, bool hasSomethingCome)
{
    if (m_masks && haveMountsChanged) {
        m_masks->check();
    } else if (m_masks && m_masks->next() && (hasSomethingCome || m_clock.steadyNow() >= *m_masks->next())) {
        m_masks->checkMissing();
    }
}

int RunningSession::patience() const
{
    std::optional<SteadyTime> next = m_desk ? m_desk->nextDeadline() : std::nullopt;
    if (m_killAt && (!next || *m_killAt < *next)) {
        next = m_killAt;
    }
    if (const auto look = m_masks ? m_masks->next() : std::nullopt) {
        next = std::min(next.value_or(SteadyTime::max()), *look);
    }
    constexpr std::chrono::seconds kPause{1};
    if (m_control->isPausing()) { // a client waits that nothing else wakes us for
        next = std::min(next.value_or(SteadyTime::max()), m_clock.steadyNow() + kPause);
    }
    if (const auto left = m_live ? m_live->untilNext() : std::nullopt) {
        // The wall clock may be set meanwhile: looked at again before long.
        const SteadyTime at
            = m_clock.steadyNow() + std::clamp<std::chrono::microseconds>(*left, kSoonest, kOftenest);
        next = next ? std::min(*next, at) : at;
    }
    if (!next) {
        return -1;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*next - m_clock.steadyNow());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, INT32_MAX));
}

} // namespace revet::session
