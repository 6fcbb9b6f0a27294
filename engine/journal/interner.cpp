// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/journal/interner.h"

namespace revet::journal {

namespace {

constexpr std::size_t kNodeBytes = 80; // a map node with its string header, roughly

} // namespace

Interner::Number Interner::numberOf(std::string_view bytes)
{
    if (bytes.empty()) {
        return {};
    }
    if (const auto known = m_numbers.find(bytes); known != m_numbers.end()) {
        return {known->second, false};
    }
    m_bytes += bytes.size() + kNodeBytes;
    if (m_bytes > m_mostBytes) {
        m_numbers.clear();
        m_bytes = bytes.size() + kNodeBytes;
    }
    m_numbers.emplace(bytes, ++m_last);
    return {m_last, true};
}

} // namespace revet::journal
