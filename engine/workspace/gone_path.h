// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace revet::workspace {

/// The last path at which nothing was: so is all below it, which may be much. For paths that are asked for in
/// order.
class GonePath
{
public:
    void set(std::string path) { m_path = std::move(path); }
    [[nodiscard]] bool isAbove(std::string_view path) const
    {
        return !m_path.empty() && path.size() > m_path.size() && path[m_path.size()] == '/'
            && path.starts_with(m_path);
    }

private:
    std::string m_path;
};

} // namespace revet::workspace
