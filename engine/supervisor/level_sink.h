// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/domain/session_info.h"
#include "engine/supervisor/fact_sink.h"

namespace revet::supervisor {

/// Lets through what the session's level is to record: calls also trap for reasons other than the record.
/// What was refused or withheld passes at every level. As thread-safe as the sink behind it.
class LevelSink final : public FactSink
{
public:
    LevelSink(ObserveLevel level, FactSink& next);
    void record(int tid, Fact fact) override;
    void aboutToExec(int tid) override;
    void aboutToExit(int tid, std::int32_t waitStatus) override;
    [[nodiscard]] bool canRecord() const override { return m_next.canRecord(); }

private:
    ObserveLevel m_level;
    FactSink& m_next;
};

} // namespace revet::supervisor
