// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/path_offers.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace revet::session {

bool namesPath(const AskProcess& process, const std::string& cwd, const std::string& path)
{
    const auto isIt = [&](const std::string& argument) {
        return !argument.empty() && (std::filesystem::path(cwd) / argument).lexically_normal() == path;
    };
    // Not the program itself, which its shell looks for in many places.
    return !process.argv.empty() && std::any_of(process.argv.begin() + 1, process.argv.end(), isIt);
}

void PathOffers::record(int tid, Fact fact)
{
    const bool isWithheld = fact.verdict == Verdict::Withheld && fact.kind == ActionKind::Read;
    const std::string path = isWithheld ? fact.target : std::string();
    m_recorder.record(tid, std::move(fact));
    if (isWithheld) {
        offer(tid, path);
    }
}

void PathOffers::claim(ProcessNumber process, const std::string& path, const std::string& reason)
{
    {
        const std::lock_guard lock(m_mutex);
        if (!m_host) {
            m_host.emplace();
        }
        if (!m_host->has(path) || !m_mayBeGiven(path)) {
            return;
        }
    }
    m_desk.offer(process, path, m_recorder.storyOf(process), reason);
}

void PathOffers::offer(int tid, const std::string& path)
{
    const ProcessNumber process = m_recorder.sighted(tid);
    ProcessBook::Story story = m_recorder.storyOf(process);
    if (story.chain.empty() || !namesPath(story.chain.back(), story.cwd, path)) {
        return;
    }
    {
        const std::lock_guard lock(m_mutex);
        if (!m_mayBeGiven(path)) {
            return;
        }
    }
    m_desk.offer(process, path, std::move(story));
}

} // namespace revet::session
