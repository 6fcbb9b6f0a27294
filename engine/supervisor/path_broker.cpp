// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/path_broker.h"

#include "engine/supervisor/broker_context.h"
#include "engine/supervisor/entry_broker.h"
#include "engine/supervisor/layer_broker.h"
#include "engine/supervisor/metadata_broker.h"
#include "engine/supervisor/open_broker.h"
#include "engine/supervisor/rename_broker.h"
#include "engine/supervisor/shared_turn.h"
#include "engine/supervisor/socket_broker.h"

#include <algorithm>
#include <cerrno>
#include <mutex>

namespace revet::supervisor {

class PathBroker::Private
{
public:
    Private(const BoxView& box, const policy::RunLaterTable& runLater, FactSink& sink,
            PreImageSink* preImages, NetworkWatch* network, Crossings* crossings)
        : m_resolver(box)
        , m_question(crossings)
        , m_facts(sink, m_question)
        , m_guard(m_resolver, runLater, box.masked, m_question)
        , m_preImages(preImages == nullptr ? m_noPreImages : *preImages)
        , m_deferred(m_guard.git(), m_facts, m_preImages)
        , m_context{box,     m_resolver, m_facts,   m_question,  m_guard,
                    m_links, m_deferred, m_sockets, m_preImages, network}
        , m_hasLayers(std::any_of(box.roots.begin(), box.roots.end(),
                                  [](const Root& root) { return root.kind == Root::Kind::Layered; }))
    {
    }

    Answer perform(const Call& call, Target& target)
    {
        const Result<bool> seesBox = target.hasBoxView();
        if (!seesBox) {
            return Answer::failure(EPERM);
        }
        // Where the caller's paths mean something else than ours, its own kernel view is the answer.
        if (!*seesBox) {
            return call.operation == Operation::Connect ? Answer::failure(EACCES) : Answer::proceed();
        }
        const std::scoped_lock turn(m_turn);
        m_question.begin({target.tid(), call.notification});
        Answer answer = inTurn(call, target);
        if (answer.kind != Answer::Kind::Later) {
            m_question.over(call.notification);
        }
        return answer;
    }

    void forget(std::uint64_t notification)
    {
        const std::scoped_lock turn(m_turn);
        m_question.over(notification);
    }

    void settle()
    {
        const std::scoped_lock turn(m_turn);
        const SharedTurn sharedTurn(m_context.box.turns);
        if (sharedTurn.isHeld()) { // else at the next occasion
            m_deferred.settle();
        }
    }

private:
    Answer inTurn(const Call& call, Target& target)
    {
        if (call.operation == Operation::Connect) { // changes nothing, and may take a moment
            return broker(call, target);
        }
        const SharedTurn sharedTurn(m_context.box.turns);
        if (!sharedTurn.isHeld()) {
            return Answer::failure(EPERM);
        }
        m_deferred.settle();
        if (m_hasLayers) {
            if (auto answer = LayerBroker(m_resolver, m_context.box.masked, m_facts).perform(call, target)) {
                return std::move(*answer);
            }
        }
        return broker(call, target);
    }

    Answer broker(const Call& call, Target& target) const
    {
        const EntryBroker entries(m_context);
        switch (call.operation) {
        case Operation::Open:
            return OpenBroker(m_context).perform(call, target);
        case Operation::MakeDirectory:
            return entries.makeDirectory(call, target);
        case Operation::MakeNode:
            return entries.makeNode(call, target);
        case Operation::MakeSymlink:
            return entries.makeSymlink(call, target);
        case Operation::MakeLink:
            return entries.makeLink(call, target);
        case Operation::Remove:
            return entries.remove(call, target);
        case Operation::RemoveDirectory:
            return entries.removeDirectory(call, target);
        case Operation::Rename:
            return RenameBroker(m_context).perform(call, target);
        case Operation::BindLocalSocket:
            return SocketBroker(m_context).bind(call, target);
        case Operation::Connect:
            return SocketBroker(m_context).connect(call, target);
        case Operation::Truncate:
        case Operation::ChangeMode:
        case Operation::ChangeOwner:
        case Operation::ChangeTimes:
        case Operation::SetAttribute:
        case Operation::RemoveAttribute:
        case Operation::CheckAccess:
            return MetadataBroker(m_context).perform(call, target);
        }
        return Answer::failure(ENOSYS);
    }

    std::mutex m_turn;
    RootResolver m_resolver;
    CallersQuestion m_question;
    FactWriter m_facts;
    MutationGuard m_guard;
    HardLinks m_links;
    NoPreImages m_noPreImages;
    PreImageSink& m_preImages;
    DeferredFiles m_deferred;
    OwnSockets m_sockets;
    BrokerContext m_context;
    bool m_hasLayers = false;
};

PathBroker::PathBroker(const BoxView& box, const policy::RunLaterTable& runLater, FactSink& facts,
                       PreImageSink* preImages, NetworkWatch* network, Crossings* crossings)
    : d(std::make_unique<Private>(box, runLater, facts, preImages, network, crossings))
{
}

PathBroker::~PathBroker()
{
    d->settle();
}

Answer PathBroker::perform(const Call& call, Target& target)
{
    return d->perform(call, target);
}

void PathBroker::forget(std::uint64_t notification)
{
    d->forget(notification);
}

void PathBroker::settle()
{
    d->settle();
}

} // namespace revet::supervisor
