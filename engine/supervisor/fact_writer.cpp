// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/fact_writer.h"

#include <cerrno>
#include <utility>

#include <fcntl.h>

namespace revet::supervisor {

namespace {

Answer recorded(Answer answer)
{
    answer.isRecorded = true;
    return answer;
}

bool isLayered(const Deed& deed)
{
    return deed.root != nullptr && deed.root->kind == Root::Kind::Layered;
}

} // namespace

void FactWriter::record(const Deed& deed, Verdict verdict, std::string rule, int errnoValue) const
{
    Fact fact;
    fact.kind = deed.kind;
    fact.verdict = verdict;
    const bool isDone = verdict == Verdict::Permitted || verdict == Verdict::Contained;
    if (isDone) { // a connection within the box reaches nothing
        fact.reach = deed.root == nullptr ? deed.reach : isLayered(deed) ? Reach::Copy : Reach::Project;
    }
    fact.target = deed.target;
    fact.other = deed.other;
    fact.rule = std::move(rule);
    fact.errnoValue = errnoValue;
    fact.detail = deed.detail;
    m_sink.record(deed.tid, std::move(fact));
}

void FactWriter::recordDone(const Deed& deed) const
{
    record(deed, isLayered(deed) ? Verdict::Contained : Verdict::Permitted, deed.rule, 0);
}

Answer FactWriter::succeeded(const Deed& deed) const
{
    recordDone(deed);
    return recorded(Answer::success());
}

Answer FactWriter::handedOver(const Deed& deed, UniqueFd descriptor, std::uint64_t openFlags) const
{
    recordDone(deed);
    Answer answer;
    answer.kind = Answer::Kind::Descriptor;
    answer.descriptor = std::move(descriptor);
    answer.closeOnExec = (openFlags & O_CLOEXEC) != 0 ? os::NotifyDevice::CloseOnExec::Yes
                                                      : os::NotifyDevice::CloseOnExec::No;
    return recorded(std::move(answer));
}

Answer FactWriter::failed(const Deed& deed, int errnoValue) const
{
    record(deed, Verdict::Failed, {}, errnoValue);
    return recorded(Answer::failure(errnoValue));
}

Answer FactWriter::denied(const Deed& deed, const Refusal& refusal) const
{
    std::string rule = refusal.rule;
    if (refusal.crossing) {
        const Crossings::Reply reply = m_question.ask(*refusal.crossing);
        if (reply.waits) {
            return Answer::later();
        }
        rule += reply.rule.empty() ? "" : "; " + reply.rule;
    }
    record(deed, Verdict::Denied, std::move(rule), refusal.errnoValue);
    return recorded(Answer::failure(refusal.errnoValue));
}

Answer FactWriter::goesOn(const Deed& deed) const
{
    recordDone(deed);
    return recorded(Answer::proceed());
}

Answer FactWriter::outcome(const Deed& deed, int result) const
{
    return result == 0 ? succeeded(deed) : failed(deed, errno);
}

} // namespace revet::supervisor
