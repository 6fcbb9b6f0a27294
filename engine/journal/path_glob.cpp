// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/journal/path_glob.h"

#include <vector>

namespace revet::journal {

PathGlob::PathGlob(std::string_view pattern)
    : m_pattern(pattern)
    , m_lastPartOnly(pattern.find('/') == std::string_view::npos)
    , m_isLiteral(pattern.find_first_of("*?") == std::string_view::npos)
{
}

bool PathGlob::matches(std::string_view path) const
{
    if (m_lastPartOnly) {
        path.remove_prefix(path.rfind('/') + 1); // npos + 1 is 0
    }
    if (m_isLiteral) {
        return path == m_pattern;
    }
    // Most paths of a journal end otherwise than the pattern.
    const char end = m_pattern.back();
    if (end != '*' && end != '?' && (path.empty() || path.back() != end)) {
        return false;
    }
    // reached[i]: the first i bytes of the path match the pattern so far.
    std::vector<bool> reached(path.size() + 1, false);
    reached[0] = true;
    for (std::size_t at = 0; at < m_pattern.size(); ++at) {
        const char wanted = m_pattern[at];
        if (wanted == '*') {
            const bool crossesSlashes = at + 1 < m_pattern.size() && m_pattern[at + 1] == '*';
            const bool startsAPart = at == 0 || m_pattern[at - 1] == '/';
            if (crossesSlashes && startsAPart && at + 2 < m_pattern.size() && m_pattern[at + 2] == '/') {
                // Any number of directories, none included, as git and shells have it.
                at += 2;
                bool isReached = false;
                for (std::size_t i = 0; i < path.size(); ++i) {
                    isReached = isReached || reached[i];
                    if (isReached && path[i] == '/') {
                        reached[i + 1] = true;
                    }
                }
                continue;
            }
            at += crossesSlashes ? 1 : 0;
            for (std::size_t i = 0; i < path.size(); ++i) {
                if (reached[i] && (crossesSlashes || path[i] != '/')) {
                    reached[i + 1] = true;
                }
            }
            continue;
        }
        for (std::size_t i = path.size(); i > 0; --i) {
            const char found = path[i - 1];
            reached[i] = reached[i - 1] && (wanted == '?' ? found != '/' : wanted == found);
        }
        reached[0] = false;
    }
    return reached[path.size()];
}

} // namespace revet::journal
