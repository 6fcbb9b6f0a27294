// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/level_sink.h"

#include <utility>

namespace revet::supervisor {
namespace {

[[nodiscard]] bool isFileChange(ActionKind kind)
{
    return kind >= ActionKind::Write && kind <= ActionKind::Chmod;
}

[[nodiscard]] bool isWanted(ObserveLevel level, const Fact& fact)
{
    if (level == ObserveLevel::Full || isSecurityRelevant(fact.verdict)) {
        return true;
    }
    return fact.kind != ActionKind::Read && (level == ObserveLevel::Writes || !isFileChange(fact.kind));
}

} // namespace

LevelSink::LevelSink(ObserveLevel level, FactSink& next)
    : m_level(level)
    , m_next(next)
{
}

void LevelSink::record(int tid, Fact fact)
{
    if (isWanted(m_level, fact)) {
        m_next.record(tid, std::move(fact));
    }
}

void LevelSink::aboutToExec(int tid)
{
    m_next.aboutToExec(tid);
}

void LevelSink::aboutToExit(int tid, std::int32_t waitStatus)
{
    m_next.aboutToExit(tid, waitStatus);
}

} // namespace revet::supervisor
