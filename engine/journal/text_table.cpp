// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/journal/text_table.h"

#include "engine/journal/rows.h"

namespace revet::journal {

namespace {

constexpr std::size_t kMostCached = 8192;

tl::unexpected<Error> missing(std::string_view table)
{
    return fail(ErrorCode::Malformed, "look up a row of the table " + std::string(table),
                "the journal is damaged; revet log --verify names the place");
}

} // namespace

Result<TextTable> TextTable::open(Database& database)
{
    REVET_RETURN_IF_ERROR(database.execute("CREATE TEMP TABLE matching (id INTEGER PRIMARY KEY)"));
    REVET_ASSIGN_OR_RETURN(Statement text, database.prepare("SELECT bytes FROM text WHERE id = ?"));
    REVET_ASSIGN_OR_RETURN(Statement arguments,
                           database.prepare("SELECT arguments FROM command WHERE id = ?"));
    REVET_ASSIGN_OR_RETURN(Statement scan,
                           database.prepare("SELECT id, bytes FROM text WHERE id > ? ORDER BY id"));
    REVET_ASSIGN_OR_RETURN(Statement remember, database.prepare("INSERT INTO temp.matching (id) VALUES (?)"));
    TextTable table(std::move(text), std::move(arguments), std::move(scan), std::move(remember));
    table.m_database = &database;
    return table;
}

Result<std::string> TextTable::text(std::int64_t id)
{
    if (id == 0) {
        return std::string();
    }
    if (const auto known = m_cache.find(id); known != m_cache.end()) {
        return known->second;
    }
    REVET_ASSIGN_OR_RETURN(const bool found, m_text.rewind().bind(id).next());
    if (!found || !m_text.isBytes(0)) {
        return missing("text");
    }
    std::string bytes(m_text.bytes(0));
    m_text.rewind();
    if (m_cache.size() >= kMostCached) {
        m_cache.clear();
    }
    m_cache.emplace(id, bytes);
    return bytes;
}

Result<std::vector<std::string>> TextTable::arguments(std::int64_t id)
{
    if (id == 0) {
        return std::vector<std::string>();
    }
    REVET_ASSIGN_OR_RETURN(const bool found, m_arguments.rewind().bind(id).next());
    if (!found || !m_arguments.isBytes(0)) {
        return missing("command");
    }
    std::vector<std::string> arguments = unpackArguments(m_arguments.bytes(0));
    m_arguments.rewind();
    return arguments;
}

Result<std::int64_t> TextTable::match(const std::string& pattern)
{
    if (!m_glob || m_glob->pattern() != pattern) {
        REVET_RETURN_IF_ERROR(m_database->execute("DELETE FROM temp.matching"));
        m_glob.emplace(pattern);
        m_scannedTo = 0;
        m_matching = 0;
    }
    m_scan.rewind().bind(m_scannedTo);
    while (true) {
        REVET_ASSIGN_OR_RETURN(const bool row, m_scan.next());
        if (!row) {
            break;
        }
        const std::int64_t id = m_scan.integer(0);
        if (m_glob->matches(m_scan.bytes(1))) {
            REVET_RETURN_IF_ERROR(m_remember.bind(id).run());
            ++m_matching;
        }
        m_scannedTo = id;
    }
    m_scan.rewind();
    return m_matching;
}

} // namespace revet::journal
