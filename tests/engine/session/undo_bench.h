// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/session/undo_keeper.h"
#include "engine/workspace/left_behind.h"
#include "tests/engine/supervisor/broker_steps.h"
#include "tests/engine/workspace/reconstruct.h"

#include <QtGlobal>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace revet::test {

/// A project, the broker of its box, and what keeps the pre-images.
class UndoBench
{
public:
    enum class Way { Take, Copy };
    explicit UndoBench(Way way = Way::Take, const workspace::PreImageLimits& limits = {},
                       const workspace::Brake::Limits& brake = {0, std::chrono::seconds(10), 20, 20})
        : m_way(way)
        , m_limits(limits)
        , m_brake(brake)
    {
        static int number = 0;
        m_session = (way == Way::Copy ? std::filesystem::path("/dev/shm") : broker.outside())
            / ("revet-test-" + std::to_string(::getpid()) + '-' + std::to_string(++number));
        std::filesystem::create_directories(m_session);
        std::filesystem::permissions(m_session, std::filesystem::perms::owner_all);
    }
    ~UndoBench()
    {
        keeper.reset();
        std::filesystem::permissions(broker.outside(), std::filesystem::perms::owner_all);
        removeTree(m_session);
    }
    UndoBench(const UndoBench&) = delete;
    UndoBench& operator=(const UndoBench&) = delete;
    UndoBench(UndoBench&&) = delete;
    UndoBench& operator=(UndoBench&&) = delete;

    /// What is in the project now is what was there before.
    void start()
    {
        if (m_way == Way::Copy) { // no room beside the project
            std::filesystem::permissions(
                broker.outside(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
        }
        before = treeAt(broker.project());
        session::UndoKeeper::Setup setup{
            SessionId::parse("k3f9q2").value(),
            m_session,
            {broker.project().string()},
            policy::BuildOutputTable::parse("names = [\"node_modules\"]\n").value(),
            m_limits,
            m_brake};
        auto made = session::UndoKeeper::create(setup, m_clock);
        if (!made) {
            qFatal("%s", toString(made.error()).c_str());
        }
        keeper = std::move(*made);
        broker.keepPreImages(*keeper);
    }
    [[nodiscard]] std::unique_ptr<workspace::DirectChanges> changes() const
    {
        auto opened = workspace::DirectChanges::open(workspace::preImagesDirectory(m_session, 0));
        if (!opened) {
            qFatal("%s", toString(opened.error()).c_str());
        }
        return std::move(*opened);
    }
    /// As the next session does for one that was killed.
    [[nodiscard]] bool recover() const
    {
        return workspace::sealLeftManifest(workspace::preImagesDirectory(m_session, 0),
                                           workspace::Unreadable::Fails)
            .has_value();
    }
    /// How what can be put together differs from what was there before; empty: not at all.
    [[nodiscard]] std::string lost() const { return difference(before, treeBefore(*changes())); }
    [[nodiscard]] std::string told() const
    {
        std::string text;
        const auto told = changes()->changes();
        for (const workspace::Change& change : *told) {
            constexpr std::string_view kKinds = "AMDR";
            text += std::string(1, kKinds.at(static_cast<std::size_t>(change.kind))) + ' '
                + (change.from.empty() ? "" : change.from + " -> ") + change.path + '\n';
        }
        return text;
    }
    /// Undoes what was done, or that; empty, or why not.
    [[nodiscard]] std::string takeBack() const;
    [[nodiscard]] std::filesystem::path project() const { return broker.project(); }

    BrokerBench broker;
    std::unique_ptr<session::UndoKeeper> keeper;
    Tree before;

private:
    Way m_way;
    workspace::PreImageLimits m_limits;
    workspace::Brake::Limits m_brake;
    SystemClock m_clock;
    std::filesystem::path m_session;
};

/// Files, directories, links of both kinds, modes, times and an attribute.
void fill(const std::filesystem::path& project);

/// A way in which a file can be destroyed, on one called "x" among others.
struct Way
{
    const char* name;
    std::function<void(BrokerBench&)> destroy;
};
[[nodiscard]] const std::vector<Way>& destroyingWays();

} // namespace revet::test
