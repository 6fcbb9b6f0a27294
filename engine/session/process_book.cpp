// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/process_book.h"

#include <algorithm>

namespace revet::session {

namespace {

/// Their children may still live and ask.
constexpr std::size_t kMaximumEnded = 4096;

} // namespace

void ProcessBook::note(const ProcessRecord& process)
{
    const std::lock_guard lock(m_mutex);
    const std::uint32_t number = process.number.value();
    m_records.insert_or_assign(number, process);
    if (process.ended) {
        m_ended.push_back(number);
    } else if (const auto before = m_records.find(process.parent.value()); before != m_records.end()
               && before->second.pid == process.pid && before->second.startTicks == process.startTicks) {
        m_ended.push_back(process.parent.value()); // it runs another program now
    }
    while (m_ended.size() > kMaximumEnded) {
        m_records.erase(m_ended.front());
        m_ended.pop_front();
    }
}

ProcessBook::Story ProcessBook::storyOf(ProcessNumber process) const
{
    const std::lock_guard lock(m_mutex);
    Story story;
    const ProcessRecord* child = nullptr;
    for (auto known = m_records.find(process.value()); known != m_records.end();
         known = m_records.find(child->parent.value())) {
        const ProcessRecord& record = known->second;
        const bool isSame
            = child != nullptr && child->pid == record.pid && child->startTicks == record.startTicks;
        if (child == nullptr) {
            story.cwd = record.cwd;
        }
        if (!isSame) {
            story.chain.push_back({record.pid, record.startTicks, record.exe, record.argv});
        }
        child = &record;
    }
    std::ranges::reverse(story.chain);
    return story;
}

} // namespace revet::session
