// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/answers.h"

#include "engine/base/log.h"

#include <cerrno>
#include <string>
#include <utility>

namespace revet::supervisor {

bool isOwnFailure(const Error& error)
{
    switch (error.errnoValue) {
    case EBADF:
    case EFAULT:
    case EINVAL:
    case E2BIG:
    case ENAMETOOLONG:
    case ENOENT:
    case ENOTDIR:
    case ERANGE:
        return false;
    default:
        return true;
    }
}

Answers::Answers(os::NotifyDevice& device, FactSink& facts)
    : m_device(device)
    , m_facts(facts)
{
}

bool Answers::mayBegin(const os::Notification& notification) const
{
    if (m_facts.canRecord()) {
        return true;
    }
    m_device.answerError(notification.id, EPERM);
    return false;
}

void Answers::give(const os::Notification& notification, const Result<Answer>& answer) const
{
    if (!answer && isOwnFailure(answer.error())) {
        refuse(notification, answer.error());
    } else if (!answer) {
        m_device.answerError(notification.id, answer.error().errnoValue);
    } else if (!m_facts.canRecord() || !send(notification, *answer)) {
        if (answer->retract) {
            answer->retract();
        }
        m_device.answerError(notification.id, EPERM);
    }
}

/// Whether it was sent.
bool Answers::send(const os::Notification& notification, const Answer& answer) const
{
    switch (answer.kind) {
    case Answer::Kind::Continue:
        m_device.answerContinue(notification.id);
        return true;
    case Answer::Kind::Value:
        m_device.answerValue(notification.id, answer.value);
        return true;
    case Answer::Kind::Fail:
        m_device.answerError(notification.id, answer.errnoValue > 0 ? answer.errnoValue : EPERM);
        return true;
    case Answer::Kind::Later:
        return false;
    case Answer::Kind::Descriptor:
        break;
    }
    const Result<void> sent
        = m_device.answerWithFd(notification.id, answer.descriptor.get(), answer.closeOnExec);
    if (sent || sent.error().errnoValue != EMFILE) {
        return sent.has_value();
    }
    if (answer.retract) {
        answer.retract();
    }
    m_device.answerError(notification.id, EMFILE);
    return true;
}

void Answers::refuse(const os::Notification& notification, const Error& error) const
{
    if (!m_device.isValid(notification.id)) {
        return; // the caller is gone: there is nobody to refuse anything to
    }
    log(LogLevel::Warning, "supervisor",
        "call " + std::to_string(notification.number) + " refused: " + toString(error));
    Fact fact;
    fact.kind = ActionKind::Syscall;
    fact.verdict = Verdict::Denied;
    fact.target = "system call " + std::to_string(notification.number);
    fact.rule = "the supervisor could not look at it";
    fact.errnoValue = EPERM;
    m_facts.record(notification.tid, std::move(fact));
    m_device.answerError(notification.id, EPERM);
}

} // namespace revet::supervisor
