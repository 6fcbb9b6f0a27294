// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/supervisor/answers.h"
#include "engine/supervisor/mutation.h"
#include "engine/supervisor/process_target.h"
#include "engine/supervisor/waiting_calls.h"

#include <functional>
#include <unordered_set>

namespace revet::policy {
struct RefusedCall;
} // namespace revet::policy

namespace revet::supervisor {

struct SocketAddress;

/// Takes the notifications of one listener one by one and answers each exactly once. One thread.
class NotifyLoop
{
public:
    struct Dependencies
    {
        const BoxView& box;
        const HostView& host;
        TreeGeneration& generation;
        FactSink& facts;
        /// The broker's doors. Thread-safe: waiting calls come by a thread of their own.
        Mutation::Broker perform;
        std::function<void(std::uint64_t notification)> forget; ///< one for which perform() had no answer
        std::function<void()> settle;
    };

    NotifyLoop(os::NotifyDevice& device, const Dependencies& dependencies);
    ~NotifyLoop();
    NotifyLoop(const NotifyLoop&) = delete;
    NotifyLoop& operator=(const NotifyLoop&) = delete;
    NotifyLoop(NotifyLoop&&) = delete;
    NotifyLoop& operator=(NotifyLoop&&) = delete;

    /// Blocks until nobody is left to ask. An error: the device failed, and calls wait that nobody answers.
    [[nodiscard]] Result<void> run();

private:
    void handle(const os::Notification& notification);
    [[nodiscard]] Result<Answer> answerTo(const os::Notification& notification, Target& target);
    [[nodiscard]] Result<Answer> pathCall(const os::Notification& notification, Target& target);
    [[nodiscard]] Result<Answer> mutation(const os::Notification& notification, Target& target,
                                          const Call& call);
    [[nodiscard]] Result<Answer> exec(const os::Notification& notification, Target& target);
    [[nodiscard]] Result<Answer> directoryChange(const os::Notification& notification, Target& target);
    [[nodiscard]] Result<Answer> connect(const os::Notification& notification, Target& target);
    [[nodiscard]] Result<Answer> bind(const os::Notification& notification, Target& target);
    [[nodiscard]] Result<Answer> listen(const os::Notification& notification, Target& target);
    [[nodiscard]] Answer refuseCall(const policy::RefusedCall& call, Target& target);
    [[nodiscard]] Answer refuseSocket(const os::Notification& notification, Target& target);
    void nameEarlierExec(const os::Notification& notification);

    os::NotifyDevice& m_device;
    Dependencies m_dependencies;
    Answers m_answers;
    ProcessCache m_processes;
    Resolver m_resolver;
    Forecast m_forecast;
    Mutation m_mutation;
    WaitingCalls m_waiting;
    std::unordered_set<int> m_unnamedExecs; ///< threads whose exec could not be read before it was made
};

} // namespace revet::supervisor
