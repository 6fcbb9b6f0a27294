// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/supervisor/call.h"
#include "engine/supervisor/fact_sink.h"

namespace revet::supervisor {

/// Gives the notifications of one listener their answers, none better than the record allows: once facts are
/// lost every call is refused. As thread-safe as the device and the sink.
class Answers
{
public:
    Answers(os::NotifyDevice& device, FactSink& facts);

    /// Whether the call may be looked at; else it has been refused, since nothing is recorded any more.
    [[nodiscard]] bool mayBegin(const os::Notification& notification) const;
    /// The one answer of the call; what is to be tried again (Answer::Kind::Later) is refused.
    void give(const os::Notification& notification, const Result<Answer>& answer) const;
    /// For an error of our own: EPERM and a fact.
    void refuse(const os::Notification& notification, const Error& error) const;

private:
    [[nodiscard]] bool send(const os::Notification& notification, const Answer& answer) const;

    os::NotifyDevice& m_device;
    FactSink& m_facts;
};

/// Whether an error is ours rather than what the call's arguments deserve.
[[nodiscard]] bool isOwnFailure(const Error& error);

} // namespace revet::supervisor
