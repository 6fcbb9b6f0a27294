// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/supervisor/call.h"
#include "engine/supervisor/fact_sink.h"
#include "engine/supervisor/git_guard.h"
#include "engine/supervisor/place.h"

#include <string>

namespace revet::supervisor {

/// What a call did or would do, by resolved paths.
struct Deed
{
    int tid = 0;
    ActionKind kind = ActionKind::Read;
    const Root* root = nullptr;
    std::string target;
    std::string other;
    std::int64_t detail = 0;
    std::string rule = {}; ///< what to say of it although it is done
    Reach reach = Reach::None; ///< once it is done, where `root` does not say it
};

/// Turns the outcome of a deed into the fact and the answer, the fact first.
class FactWriter
{
public:
    /// Both outlive this.
    FactWriter(FactSink& sink, const CallersQuestion& question)
        : m_sink(sink)
        , m_question(question)
    {
    }

    [[nodiscard]] Answer succeeded(const Deed& deed) const;
    [[nodiscard]] Answer handedOver(const Deed& deed, UniqueFd descriptor, std::uint64_t openFlags) const;
    [[nodiscard]] Answer failed(const Deed& deed, int errnoValue) const;
    /// Of what the person can permit, as yet no answer where they are asked.
    [[nodiscard]] Answer denied(const Deed& deed, const Refusal& refusal) const;
    /// Nothing is decided: the kernel runs the call, whose outcome nobody sees.
    [[nodiscard]] Answer goesOn(const Deed& deed) const;
    /// succeeded() or failed() by what a system call returned; reads errno.
    [[nodiscard]] Answer outcome(const Deed& deed, int result) const;

private:
    void record(const Deed& deed, Verdict verdict, std::string rule, int errnoValue) const;
    void recordDone(const Deed& deed) const;
    FactSink& m_sink;
    const CallersQuestion& m_question;
};

} // namespace revet::supervisor
