// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/path_kin.h"

#include <algorithm>
#include <filesystem>

#include <sys/stat.h>

namespace revet::session {

PathKin::PathKin(const std::string& path)
    : m_path(path)
{
    for (std::size_t end = 0; end < path.size();) {
        end = std::min(path.find('/', end + 1), path.size());
        const auto object = objectAt(path.substr(0, end));
        if (!object) {
            break;
        }
        m_way.emplace_back(*object, end);
    }
}

std::optional<PathKin::Object> PathKin::objectAt(const std::string& path)
{
    struct stat status = {};
    return ::stat(path.c_str(), &status) == 0 ? std::optional(Object{status.st_dev, status.st_ino})
                                              : std::nullopt;
}

std::optional<std::string> PathKin::asBelow(const std::string& place) const
{
    const auto object = objectAt(place);
    const auto step = std::ranges::find_if(m_way, [&](const auto& way) { return object == way.first; });
    return step == m_way.end() ? std::nullopt : std::optional(place + m_path.substr(step->second));
}

bool PathKin::holds(const std::string& place) const
{
    const bool isThere = !m_way.empty() && m_way.back().second == m_path.size();
    std::error_code error;
    const std::string real = std::filesystem::canonical(place, error).string();
    if (!isThere || error) {
        return false;
    }
    const PathKin other(real);
    return std::ranges::any_of(other.m_way,
                               [this](const auto& way) { return way.first == m_way.back().first; });
}

} // namespace revet::session
