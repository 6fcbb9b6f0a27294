// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/journal/database.h"

#include <string>
#include <unordered_map>

namespace revet::journal {

/// Statements by their text, so that the page after the page is not planned again. Bounded. One thread.
class StatementCache
{
public:
    explicit StatementCache(Database& database)
        : m_database(&database)
    {
    }
    /// Rewound, and valid until the next call.
    [[nodiscard]] Result<Statement*> get(const std::string& sql)
    {
        if (const auto known = m_statements.find(sql); known != m_statements.end()) {
            return &known->second.rewind();
        }
        if (m_statements.size() >= kMost) {
            m_statements.clear();
        }
        REVET_ASSIGN_OR_RETURN(Statement prepared, m_database->prepare(sql));
        return &m_statements.emplace(sql, std::move(prepared)).first->second;
    }
    [[nodiscard]] Database& database() const { return *m_database; }

private:
    static constexpr std::size_t kMost = 32;
    Database* m_database;
    std::unordered_map<std::string, Statement> m_statements;
};

} // namespace revet::journal
