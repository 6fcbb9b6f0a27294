// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/git_config.h"

#include "engine/policy/letter_case.h"

#include <utility>

// The grammar is that of git's config.c (git-config(1), "Syntax"). Where git is lenient and we are not sure
// that every version reads the same, we refuse: a refusal costs a question, a wrong reading costs the wall.

namespace revet::policy {

namespace {

constexpr std::size_t kMaximumSize = 64 * 1024;

bool isBlank(char byte)
{
    return byte == ' ' || byte == '\t';
}

bool isLetter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

bool isKeyByte(char byte)
{
    return isLetter(byte) || (byte >= '0' && byte <= '9') || byte == '-';
}

/// Reads one line after the other. A line never goes on in the next one here, so each can be judged alone.
class LineReader
{
public:
    explicit LineReader(std::vector<GitConfigEntry>* entries)
        : m_entries(entries)
    {
    }

    /// The reason why the line is refused, or an empty one.
    [[nodiscard]] std::string read(std::string_view line)
    {
        m_rest = line;
        skipBlanks();
        if (m_rest.starts_with('[')) {
            if (std::string reason = readSection(); !reason.empty()) {
                return reason;
            }
            skipBlanks();
        }
        if (m_rest.empty() || m_rest.front() == '#' || m_rest.front() == ';') {
            return {};
        }
        // git also takes a second header on the same line; nobody writes that.
        return readAssignment();
    }

private:
    void skipBlanks()
    {
        while (!m_rest.empty() && isBlank(m_rest.front())) {
            m_rest.remove_prefix(1);
        }
    }

    [[nodiscard]] std::string readSection()
    {
        m_rest.remove_prefix(1);
        m_section.clear();
        while (!m_rest.empty() && (isKeyByte(m_rest.front()) || m_rest.front() == '.')) {
            m_section.push_back(lowered(m_rest.front()));
            m_rest.remove_prefix(1);
        }
        if (m_section.empty()) {
            return "a section without a name";
        }
        if (!m_rest.empty() && isBlank(m_rest.front())) {
            skipBlanks();
            if (std::string reason = readSubsection(); !reason.empty()) {
                return reason;
            }
        }
        if (!m_rest.starts_with(']')) {
            return "a section header that does not end in ]";
        }
        m_rest.remove_prefix(1);
        return {};
    }

    [[nodiscard]] std::string readSubsection()
    {
        if (!m_rest.starts_with('"')) {
            return "a subsection without quotes";
        }
        m_rest.remove_prefix(1);
        m_section.push_back('.');
        while (!m_rest.empty() && m_rest.front() != '"') {
            if (m_rest.front() == '\\') {
                m_rest.remove_prefix(1);
                if (m_rest.empty()) {
                    break;
                }
            }
            m_section.push_back(m_rest.front());
            m_rest.remove_prefix(1);
        }
        if (m_rest.empty()) {
            return "a subsection whose quotes never close";
        }
        m_rest.remove_prefix(1);
        return {};
    }

    [[nodiscard]] std::string readAssignment()
    {
        if (m_section.empty()) {
            return "a key before any section";
        }
        if (!isLetter(m_rest.front())) {
            return "a key that does not begin with a letter";
        }
        GitConfigEntry entry;
        entry.key = m_section + '.';
        while (!m_rest.empty() && isKeyByte(m_rest.front())) {
            entry.key.push_back(lowered(m_rest.front()));
            m_rest.remove_prefix(1);
        }
        skipBlanks();
        if (m_rest.empty()) {
            entry.hasValue = false;
        } else if (m_rest.front() != '=') {
            return "a key that is followed by something other than =";
        } else {
            m_rest.remove_prefix(1);
            if (std::string reason = readValue(&entry.value); !reason.empty()) {
                return reason;
            }
        }
        m_entries->push_back(std::move(entry));
        return {};
    }

    [[nodiscard]] std::string readValue(std::string* value)
    {
        bool isQuoted = false;
        std::string blanks; // kept back: blanks at the end do not belong to the value
        for (; !m_rest.empty(); m_rest.remove_prefix(1)) {
            char byte = m_rest.front();
            if (!isQuoted && isBlank(byte)) {
                blanks.push_back(byte);
                continue;
            }
            if (!isQuoted && (byte == '#' || byte == ';')) {
                break;
            }
            if (!value->empty()) {
                value->append(blanks); // also before a quote: `a ""` is "a " to git
            }
            blanks.clear();
            if (byte == '"') {
                isQuoted = !isQuoted;
                continue;
            }
            if (byte == '\\') {
                m_rest.remove_prefix(1);
                if (m_rest.empty()) {
                    return "a line that continues in the next one";
                }
                const std::size_t escape = std::string_view("tbn\"\\").find(m_rest.front());
                if (escape == std::string_view::npos) {
                    return "an unknown escape";
                }
                byte = "\t\b\n\"\\"[escape];
            }
            value->push_back(byte);
        }
        return isQuoted ? "a value whose quotes never close" : "";
    }

    std::vector<GitConfigEntry>* m_entries;
    std::string_view m_rest;
    std::string m_section; ///< "core" or "remote.origin"
};

} // namespace

Result<std::vector<GitConfigEntry>> parseGitConfig(std::string_view text)
{
    if (text.size() > kMaximumSize) {
        return fail(ErrorCode::LimitExceeded, "read a git configuration", "it is larger than 64 KiB");
    }
    if (text.find('\0') != std::string_view::npos) {
        return fail(ErrorCode::Malformed, "read a git configuration", "it holds a NUL byte");
    }
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text.starts_with(kByteOrderMark)) {
        text.remove_prefix(kByteOrderMark.size());
    }
    std::vector<GitConfigEntry> entries;
    LineReader reader(&entries);
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        // git takes CR LF for LF; a CR elsewhere is white space to some versions and content to others.
        if (line.ends_with('\r') && end != std::string_view::npos) {
            line.remove_suffix(1);
        }
        const std::string reason = line.find('\r') != std::string_view::npos
            ? "a carriage return inside a line"
            : reader.read(line);
        if (!reason.empty()) {
            return fail(ErrorCode::Malformed, "read a git configuration",
                        "line " + std::to_string(number) + ": " + reason);
        }
    }
    return entries;
}

} // namespace revet::policy
