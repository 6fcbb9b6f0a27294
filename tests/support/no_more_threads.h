// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <sys/resource.h>

namespace revet::test {

/// As long as it lives, no thread can be started: the user has as many as are allowed. Not for root, whom the
/// limit does not bind.
class NoMoreThreads
{
public:
    NoMoreThreads()
    {
        ::getrlimit(RLIMIT_NPROC, &m_before);
        const rlimit none{0, m_before.rlim_max};
        ::setrlimit(RLIMIT_NPROC, &none);
    }
    ~NoMoreThreads() { ::setrlimit(RLIMIT_NPROC, &m_before); }
    NoMoreThreads(const NoMoreThreads&) = delete;
    NoMoreThreads& operator=(const NoMoreThreads&) = delete;
    NoMoreThreads(NoMoreThreads&&) = delete;
    NoMoreThreads& operator=(NoMoreThreads&&) = delete;

private:
    rlimit m_before{};
};

} // namespace revet::test
