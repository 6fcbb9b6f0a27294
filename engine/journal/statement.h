// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3_stmt;

namespace revet::journal {

/// A prepared statement. Parameters are bound in the order of their `?`, then run() or next() executes it.
/// Belongs to one thread, and must not outlive its Database.
class Statement
{
public:
    Statement() = default;
    explicit Statement(sqlite3_stmt* statement)
        : m_statement(statement)
    {
    }

    /// Starts over: forgets rows and the place of the next parameter.
    Statement& rewind();
    Statement& bind(std::int64_t value);
    /// Binds a BLOB. The bytes are not copied: they must live until the statement is done.
    Statement& bind(std::string_view bytes);
    /// Executes a statement that yields no row, and rewinds it.
    [[nodiscard]] Result<void> run();
    /// True when a row is ready, false at the end.
    [[nodiscard]] Result<bool> next();

    /// Column of the present row, strict about its type: nothing where the file holds another type.
    [[nodiscard]] bool isInteger(int column) const;
    [[nodiscard]] bool isBytes(int column) const;
    [[nodiscard]] std::int64_t integer(int column) const;
    /// Valid until the next call of next(), run() or rewind().
    [[nodiscard]] std::string_view bytes(int column) const;
    [[nodiscard]] int columnCount() const;

private:
    struct Finalize
    {
        void operator()(sqlite3_stmt* statement) const noexcept;
    };
    std::unique_ptr<sqlite3_stmt, Finalize> m_statement;
    int m_nextParameter = 1;
    int m_bindError = 0;
};

/// Reads the columns of a row one after another. A column of another type or outside its range makes the row
/// invalid: what comes from a file is checked, never trusted.
class RowCursor
{
public:
    explicit RowCursor(const Statement& statement)
        : m_statement(&statement)
    {
    }
    [[nodiscard]] std::int64_t integer(std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                                       std::int64_t most = std::numeric_limits<std::int64_t>::max());
    [[nodiscard]] std::string bytes();
    [[nodiscard]] bool isValid() const { return m_valid; }

private:
    const Statement* m_statement;
    int m_column = 0;
    bool m_valid = true;
};

} // namespace revet::journal
