// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/brake.h"

#include <algorithm>
#include <utility>
#include <vector>

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

std::string Brake::places() const
{
    constexpr std::size_t kMost = 5;
    std::uint32_t atTop = 0;
    std::vector<std::pair<std::uint32_t, std::string_view>> directories;
    for (const auto& [top, files] : m_filesOfTop) {
        const auto gone = m_gone.find(top);
        if (gone != m_gone.end() && !gone->second.isDirectory) {
            ++atTop;
        } else {
            directories.emplace_back(files, top);
        }
    }
    std::ranges::sort(directories, [](const auto& one, const auto& other) {
        return one.first != other.first ? one.first > other.first : one.second < other.second;
    });
    std::string text;
    const auto add = [&text](std::uint32_t count, const std::string& where) {
        text += (text.empty() ? "" : ", ") + std::to_string(count) + where;
    };
    std::uint32_t others = 0;
    for (std::size_t i = 0; i < directories.size(); ++i) {
        if (i < kMost) {
            add(directories[i].first, " in " + std::string(directories[i].second));
        } else {
            others += directories[i].first;
        }
    }
    if (others > 0) {
        add(others, " elsewhere");
    }
    if (atTop > 0) {
        add(atTop, " at the top");
    }
    return text;
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
