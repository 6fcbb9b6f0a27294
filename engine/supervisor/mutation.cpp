// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/mutation.h"

#include "engine/supervisor/answers.h"

#include <cerrno>

namespace revet::supervisor {
namespace {

[[nodiscard]] bool movesNames(Operation operation)
{
    return operation == Operation::Rename || operation == Operation::Remove
        || operation == Operation::RemoveDirectory || operation == Operation::MakeSymlink;
}

} // namespace

Mutation::Mutation(const Broker& broker, TreeGeneration& generation, Forecast& forecast)
    : m_broker(broker)
    , m_generation(generation)
    , m_forecast(forecast)
{
}

Result<Answer> Mutation::perform(const Call& call, Target& target)
{
    REVET_ASSIGN_OR_RETURN(const bool seesBox, target.hasBoxView());
    if (!seesBox) {
        // Its paths mean other objects than ours. Goes on: through its mounts the project is read-only, and
        // what it mounted itself is its own.
        m_forecast.foreignMutation(target, call);
        // A connection does not stop at a read-only mount.
        return call.operation == Operation::Connect ? Answer::failure(EACCES) : Answer::proceed();
    }
    Answer answer = m_broker(call, target);
    const bool goesOn = answer.kind == Answer::Kind::Continue;
    if (movesNames(call.operation)) {
        goesOn ? m_generation.advanceSoon() : m_generation.advance();
    }
    if (goesOn && !answer.isRecorded) {
        // Goes on with whatever the path has become since: every brokered root is read-only in the box, so
        // the most it can reach are its private places, its layer and devices.
        const Result<void> recorded = m_forecast.mutation(target, call);
        if (!recorded && isOwnFailure(recorded.error())) {
            return fail(recorded.error());
        }
    }
    return answer;
}

} // namespace revet::supervisor
