// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/domain/event.h"

#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace revet::session {

/// What a box wrote where only boxes see it: its private home, which the project's next box finds again, and
/// its /tmp and the like, which end with it. Thread-safe.
class PrivateWrites
{
public:
    /// `roots`: the project and its side roots, which are told of elsewhere.
    PrivateWrites(std::string home, std::vector<std::string> roots)
        : m_home(std::move(home))
        , m_roots(std::move(roots))
    {
    }
    void note(const Fact& fact);

    /// Absolute paths, by name; the box's bytes. Not all where there are very many.
    [[nodiscard]] std::vector<std::string> kept() const { return select(true); }
    [[nodiscard]] std::vector<std::string> lost() const { return select(false); }

private:
    [[nodiscard]] std::vector<std::string> select(bool isInHome) const;
    void add(const std::string& path);

    static constexpr std::size_t kMaximum = 10'000;
    std::string m_home;
    std::vector<std::string> m_roots;
    mutable std::mutex m_mutex;
    std::set<std::string> m_paths;
};

} // namespace revet::session
