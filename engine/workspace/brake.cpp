// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/brake.h"

namespace revet::workspace {

namespace {

std::string topOf(std::string_view path)
{
    return std::string(path.substr(0, path.find('/')));
}

bool isAtTop(std::string_view path)
{
    return path.find('/') == std::string_view::npos;
}

} // namespace

std::optional<std::string> Brake::removing(std::string_view path, bool isDirectory, SteadyTime now)
{
    if (m_limits.files == 0) {
        return std::nullopt;
    }
    if (m_pulled && now - m_lastTry >= m_limits.window) {
        m_pulled.reset();
    }
    m_lastTry = now;
    expire(now);
    if (!m_pulled) {
        m_pulled = reason(path, isDirectory);
        m_pulls += m_pulled ? 1U : 0U;
    }
    if (m_pulled) {
        ++m_refused;
        return m_pulled;
    }
    uncount(std::string(path));
    const Removal removal{now, std::string(path), isDirectory};
    if (!isDirectory) {
        ++m_files;
        ++m_filesOfTop[topOf(path)];
    }
    m_topEntries += isAtTop(path) ? 1U : 0U;
    const auto below = m_filesOfTop.find(removal.path);
    if (isDirectory && isAtTop(path) && below != m_filesOfTop.end() && below->second >= m_limits.filesOfTop) {
        m_topsGone.insert(removal.path);
    }
    m_gone[removal.path] = removal;
    m_recent.push_back(removal);
    return std::nullopt;
}

std::optional<std::string> Brake::reason(std::string_view path, bool isDirectory) const
{
    const std::string within = " within " + std::to_string(m_limits.window.count()) + " s";
    if (!isDirectory && m_files >= m_limits.files) {
        return std::to_string(m_limits.files) + " files gone" + within;
    }
    if (isAtTop(path) && m_topEntries >= m_limits.topEntries) {
        return std::to_string(m_limits.topEntries) + " entries at the top of the project gone" + within;
    }
    for (const std::string& top : m_topsGone) {
        if (top != topOf(path)) {
            return "all of '" + top + "' at the top of the project gone" + within;
        }
    }
    return std::nullopt;
}

void Brake::made(std::string_view path)
{
    if (!m_gone.empty()) {
        uncount(std::string(path));
    }
}

void Brake::expire(SteadyTime now)
{
    while (!m_recent.empty() && now - m_recent.front().when >= m_limits.window) {
        const auto gone = m_gone.find(m_recent.front().path);
        if (gone != m_gone.end() && gone->second.when == m_recent.front().when) {
            uncount(m_recent.front().path);
        }
        m_recent.pop_front();
    }
}

void Brake::uncount(const std::string& path)
{
    const auto gone = m_gone.find(path);
    if (gone == m_gone.end()) {
        return;
    }
    m_topsGone.erase(path);
    m_files -= gone->second.isDirectory ? 0U : 1U;
    m_topEntries -= isAtTop(path) ? 1U : 0U;
    if (!gone->second.isDirectory) {
        const auto top = m_filesOfTop.find(topOf(path));
        top->second -= 1;
        if (top->second == 0) {
            m_filesOfTop.erase(top);
        }
    }
    m_gone.erase(gone);
}

} // namespace revet::workspace
