// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// The run-later table as it is kept between the build and a start: every start reads it, and to parse and
// expand its patterns took longer than to build a box.

#include "engine/base/bytes.h"
#include "engine/policy/run_later_index.h"

#include <algorithm>

namespace revet::policy {

namespace {

using Index = RunLaterTable::Index;

constexpr std::string_view kMark("\0RVL1", 5); // no TOML text has a NUL
constexpr std::size_t kMaximumBytes = std::size_t{1} << 20U;

void writeTexts(ByteWriter& writer, const std::vector<std::string>& texts)
{
    writer.number(static_cast<std::uint32_t>(texts.size()));
    for (const std::string& text : texts) {
        writer.string(text);
    }
}

Result<std::vector<std::string>> readTexts(ByteReader& reader)
{
    REVET_ASSIGN_OR_RETURN(const auto count, reader.number<std::uint32_t>());
    std::vector<std::string> texts;
    for (std::uint32_t i = 0; i < count; ++i) {
        REVET_ASSIGN_OR_RETURN(auto text, reader.string(kMaximumBytes));
        texts.push_back(std::move(text));
    }
    return texts;
}

Result<Index::Entry> readEntry(ByteReader& reader)
{
    Index::Entry entry;
    REVET_ASSIGN_OR_RETURN(const auto cls, reader.number<std::uint8_t>());
    if (cls > static_cast<std::uint8_t>(RunLaterClass::Shown)) {
        return fail(ErrorCode::Malformed, "read a run-later class that there is none of");
    }
    entry.cls = static_cast<RunLaterClass>(cls);
    REVET_ASSIGN_OR_RETURN(entry.group, reader.string(kMaximumBytes));
    REVET_ASSIGN_OR_RETURN(entry.check.format, reader.string(kMaximumBytes));
    REVET_ASSIGN_OR_RETURN(entry.check.runs, readTexts(reader));
    REVET_ASSIGN_OR_RETURN(const auto exceptions, readTexts(reader));
    for (const std::string& text : exceptions) {
        REVET_ASSIGN_OR_RETURN(auto exception, PathPattern::compile(text));
        entry.exceptions.push_back(std::move(exception));
    }
    return entry;
}

Result<Index::Text> readText(ByteReader& reader, const std::string& texts)
{
    Index::Text text;
    REVET_ASSIGN_OR_RETURN(text.begin, reader.number<std::uint32_t>());
    REVET_ASSIGN_OR_RETURN(text.size, reader.number<std::uint32_t>());
    return std::uint64_t{text.begin} + text.size <= texts.size() && text.size > 0
        ? Result<Index::Text>(text)
        : fail(ErrorCode::Malformed, "read a run-later pattern beyond its texts");
}

} // namespace

bool isCompiledRunLater(std::string_view bytes)
{
    return bytes.starts_with(kMark);
}

std::string RunLaterTable::Index::compiled() const
{
    ByteWriter writer;
    std::vector<std::string> directories(m_dependencyDirectories.begin(), m_dependencyDirectories.end());
    std::ranges::sort(directories); // one table, one file
    writeTexts(writer, directories);
    writer.number(static_cast<std::uint32_t>(m_entries.size()));
    for (const Entry& entry : m_entries) {
        writer.number(static_cast<std::uint8_t>(entry.cls));
        writer.string(entry.group);
        writer.string(entry.check.format);
        writeTexts(writer, entry.check.runs);
        std::vector<std::string> exceptions;
        for (const PathPattern& exception : entry.exceptions) {
            exceptions.push_back(exception.text());
        }
        writeTexts(writer, exceptions);
    }
    writer.string(m_texts);
    writer.number(static_cast<std::uint32_t>(m_patterns.size()));
    for (const Pattern& pattern : m_patterns) {
        for (const std::uint32_t number : {pattern.entry, pattern.text.begin, pattern.text.size,
                                           pattern.spelled.begin, pattern.spelled.size}) {
            writer.number(number);
        }
        writer.number(static_cast<std::uint8_t>(pattern.isRooted ? 1 : 0));
    }
    return std::string(kMark) + writer.bytes();
}

Result<void> RunLaterTable::Index::read(std::string_view bytes)
{
    ByteReader reader(bytes.substr(kMark.size()));
    REVET_ASSIGN_OR_RETURN(const auto directories, readTexts(reader));
    for (const std::string& directory : directories) {
        addDependencyDirectory(directory);
    }
    REVET_ASSIGN_OR_RETURN(const auto entries, reader.number<std::uint32_t>());
    for (std::uint32_t i = 0; i < entries; ++i) {
        REVET_ASSIGN_OR_RETURN(auto entry, readEntry(reader));
        m_entries.push_back(std::move(entry));
    }
    REVET_ASSIGN_OR_RETURN(m_texts, reader.string(kMaximumBytes));
    REVET_ASSIGN_OR_RETURN(const auto patterns, reader.number<std::uint32_t>());
    for (std::uint32_t i = 0; i < patterns; ++i) {
        Pattern pattern;
        REVET_ASSIGN_OR_RETURN(pattern.entry, reader.number<std::uint32_t>());
        REVET_ASSIGN_OR_RETURN(pattern.text, readText(reader, m_texts));
        REVET_ASSIGN_OR_RETURN(pattern.spelled, readText(reader, m_texts));
        REVET_ASSIGN_OR_RETURN(const auto isRooted, reader.number<std::uint8_t>());
        if (pattern.entry >= m_entries.size()) {
            return fail(ErrorCode::Malformed, "read a run-later pattern of no entry");
        }
        pattern.isRooted = isRooted != 0;
        add(pattern);
    }
    return reader.atEnd() && !m_patterns.empty()
        ? Result<void>()
        : fail(ErrorCode::Malformed, "read a run-later table that does not end where it should");
}

} // namespace revet::policy
