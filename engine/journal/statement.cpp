// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/journal/statement.h"

#include "engine/journal/sqlite_error.h"

#include <sqlite3.h>

namespace revet::journal {

void Statement::Finalize::operator()(sqlite3_stmt* statement) const noexcept
{
    sqlite3_finalize(statement);
}

Statement& Statement::rewind()
{
    sqlite3_reset(m_statement.get());
    m_nextParameter = 1;
    m_bindError = SQLITE_OK;
    return *this;
}

Statement& Statement::bind(std::int64_t value)
{
    m_bindError |= sqlite3_bind_int64(m_statement.get(), m_nextParameter++, value);
    return *this;
}

Statement& Statement::bind(std::string_view bytes)
{
    // A null pointer would bind NULL instead of an empty BLOB.
    const char* data = bytes.data() == nullptr ? "" : bytes.data();
    m_bindError |= sqlite3_bind_blob64(m_statement.get(), m_nextParameter++, data, bytes.size(), nullptr);
    return *this;
}

Result<void> Statement::run()
{
    REVET_ASSIGN_OR_RETURN(const bool row, next());
    rewind();
    if (row) {
        return fail(ErrorCode::InvalidArgument, "run an SQL statement that yields rows");
    }
    return {};
}

Result<bool> Statement::next()
{
    int status = m_bindError;
    if (status == SQLITE_OK) {
        status = sqlite3_step(m_statement.get());
    }
    if (status == SQLITE_ROW) {
        return true;
    }
    if (status == SQLITE_DONE) {
        return false;
    }
    Error error = sqliteError(sqlite3_db_handle(m_statement.get()), status, "use the database");
    rewind();
    return fail(std::move(error));
}

bool Statement::isInteger(int column) const
{
    return sqlite3_column_type(m_statement.get(), column) == SQLITE_INTEGER;
}

bool Statement::isBytes(int column) const
{
    return sqlite3_column_type(m_statement.get(), column) == SQLITE_BLOB;
}

std::int64_t Statement::integer(int column) const
{
    return sqlite3_column_int64(m_statement.get(), column);
}

std::string_view Statement::bytes(int column) const
{
    const void* data = sqlite3_column_blob(m_statement.get(), column);
    const int size = sqlite3_column_bytes(m_statement.get(), column);
    return data == nullptr ? std::string_view()
                           : std::string_view(static_cast<const char*>(data), static_cast<std::size_t>(size));
}

int Statement::columnCount() const
{
    return sqlite3_column_count(m_statement.get());
}

std::int64_t RowCursor::integer(std::int64_t least, std::int64_t most)
{
    const int column = m_column++;
    const std::int64_t value = m_statement->integer(column);
    if (!m_statement->isInteger(column) || value < least || value > most) {
        m_valid = false;
        return least;
    }
    return value;
}

std::string RowCursor::bytes()
{
    const int column = m_column++;
    if (!m_statement->isBytes(column)) {
        m_valid = false;
        return {};
    }
    return std::string(m_statement->bytes(column));
}

} // namespace revet::journal
