// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/supervisor.h"

#include "engine/supervisor/host_view.h"
#include "engine/supervisor/level_sink.h"
#include "engine/supervisor/notify_loop.h"
#include "engine/supervisor/path_broker.h"
#include "engine/supervisor/thread_state.h"

#include <utility>

namespace revet::supervisor {

class Supervisor::Private
{
public:
    Private(BoxView view, const Dependencies& dependencies)
        : box(std::move(view))
        , facts(box.observe, dependencies.facts)
        , broker(box, dependencies.runLater, facts, dependencies.preImages, dependencies.network,
                 dependencies.crossings)
    {
    }

    const BoxView box;
    const HostView host;
    TreeGeneration generation;
    LevelSink facts;
    PathBroker broker;
};

Supervisor::Supervisor(BoxView box, const Dependencies& dependencies)
    : d(std::make_unique<Private>(std::move(box), dependencies))
{
}

Supervisor::~Supervisor() = default;

void Supervisor::treeChanged()
{
    d->generation.advance();
}

Result<void> Supervisor::serve(os::NotifyDevice& device)
{
    ownWorkingDirectory();
    NotifyLoop loop(device,
                    {d->box, d->host, d->generation, d->facts,
                     [this](const Call& call, Target& target) { return d->broker.perform(call, target); },
                     [this](std::uint64_t notification) { d->broker.forget(notification); },
                     [this] { d->broker.settle(); }});
    return loop.run();
}

} // namespace revet::supervisor
