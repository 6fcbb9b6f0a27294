// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <utility>

namespace revet {

/// Runs a callable when the scope is left, unless dismissed.
template<typename Callable>
class ScopeExit
{
public:
    explicit ScopeExit(Callable callable)
        : m_callable(std::move(callable))
    {
    }
    ScopeExit(const ScopeExit&) = delete;
    ScopeExit& operator=(const ScopeExit&) = delete;
    ScopeExit(ScopeExit&&) = delete;
    ScopeExit& operator=(ScopeExit&&) = delete;
    ~ScopeExit()
    {
        if (m_armed) {
            m_callable();
        }
    }
    void dismiss() { m_armed = false; }

private:
    Callable m_callable;
    bool m_armed = true;
};

} // namespace revet
