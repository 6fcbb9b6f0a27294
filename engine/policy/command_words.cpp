// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/command_words.h"

#include <algorithm>
#include <utility>

namespace revet::policy {

namespace {

bool isNameByte(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9')
        || byte == '_';
}

bool isBlank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

/// Where the bracket closes that is open before `at`; the text's size when it does not.
std::size_t closing(std::string_view text, std::size_t at, char open, char close)
{
    std::size_t depth = 1;
    char quote = 0;
    for (; at < text.size(); ++at) {
        const char byte = text[at];
        if (byte == '\\' && quote != '\'') {
            ++at;
        } else if (quote != 0) {
            quote = byte == quote ? '\0' : quote;
        } else if (byte == '\'' || byte == '"') {
            quote = byte;
        } else if (byte == open) {
            ++depth;
        } else if (byte == close && --depth == 0) {
            break;
        }
    }
    return std::min(at, text.size());
}

class Cutter
{
public:
    explicit Cutter(std::string_view text)
        : m_text(text)
    {
    }

    std::vector<CommandWord> run()
    {
        while (m_at < m_text.size()) {
            const char byte = m_text[m_at];
            if (isBlank(byte)) {
                ++m_at;
                finish();
            } else if (byte == '\'') {
                ++m_at;
                singleQuoted();
            } else if (byte == '"') {
                ++m_at;
                doubleQuoted();
            } else if (byte == '#' && !m_isOpen) {
                m_at = std::min(m_text.find('\n', m_at), m_text.size());
            } else if (std::string_view(";&|()\n").find(byte) != std::string_view::npos) {
                ++m_at;
                end();
            } else if (byte == '<' || byte == '>') {
                redirection();
            } else {
                plain();
            }
        }
        finish();
        return std::move(m_words);
    }

private:
    void plain()
    {
        const char byte = m_text[m_at++];
        const bool isAlone
            = !m_isOpen && (m_at == m_text.size() || isBlank(m_text[m_at]) || m_text[m_at] == '\n');
        if (byte == '\\') {
            if (m_at < m_text.size() && m_text[m_at] != '\n') {
                put(m_text[m_at]);
            }
            ++m_at;
        } else if (byte == '$') {
            dollar();
        } else if (byte == '`') {
            backquoted();
        } else if (byte == '~' && !m_isOpen && m_at < m_text.size() && isNameByte(m_text[m_at])) {
            while (m_at < m_text.size() && isNameByte(m_text[m_at])) {
                ++m_at;
            }
            expansion();
        } else if (std::string_view("*?[]{}").find(byte) != std::string_view::npos && !isAlone) {
            expansion();
        } else {
            put(byte);
        }
    }

    void singleQuoted()
    {
        open().isQuoted = true;
        const std::size_t end = std::min(m_text.find('\'', m_at), m_text.size());
        m_word.pieces.back().append(m_text.substr(m_at, end - m_at));
        m_at = end + 1;
    }

    void doubleQuoted()
    {
        open().isQuoted = true;
        while (m_at < m_text.size() && m_text[m_at] != '"') {
            const char byte = m_text[m_at++];
            if (byte == '$') {
                dollar();
            } else if (byte == '`') {
                backquoted();
            } else if (byte == '\\' && m_at < m_text.size()
                       && std::string_view("$`\"\\\n").find(m_text[m_at]) != std::string_view::npos) {
                put(m_text[m_at++]);
            } else {
                put(byte);
            }
        }
        ++m_at;
    }

    /// Behind a '$'.
    void dollar()
    {
        const std::string_view rest = m_text.substr(std::min(m_at, m_text.size()));
        if (rest.starts_with('(')) {
            const std::size_t end = closing(m_text, m_at + 1, '(', ')');
            inner(m_text.substr(m_at + 1, end - m_at - 1));
            m_at = end + 1;
        } else if (rest.starts_with('{')) {
            const std::size_t end = closing(m_text, m_at + 1, '{', '}');
            parameter(m_text.substr(m_at + 1, end - m_at - 1));
            m_at = end + 1;
        } else if (!rest.empty() && isNameByte(rest.front())) {
            std::size_t length = 1;
            while (rest.front() > '9' && length < rest.size() && isNameByte(rest[length])) {
                ++length;
            }
            m_at += length;
            variable(rest.substr(0, length));
        } else if (!rest.empty()
                   && std::string_view("@*#?$!-").find(rest.front()) != std::string_view::npos) {
            ++m_at;
            expansion();
        } else if (!rest.starts_with('\'') && !rest.starts_with('"')) {
            put('$'); // in front of quotes it means only other rules for what is in them
        }
    }

    /// Between "${" and "}".
    void parameter(std::string_view text)
    {
        std::size_t length = text.find_first_not_of("#!");
        while (length < text.size() && isNameByte(text[length])) {
            ++length;
        }
        if (length >= text.size()) {
            variable(text);
            return;
        }
        text.remove_prefix(length);
        const std::size_t word = std::min(text.find_first_not_of(":-=+?"), text.size());
        if (word == 0) {
            expansion(); // a pattern
        } else {
            inner(text.substr(word));
        }
    }

    void backquoted()
    {
        std::string text;
        while (m_at < m_text.size() && m_text[m_at] != '`') {
            if (m_text[m_at] == '\\' && m_at + 1 < m_text.size()
                && std::string_view("$`\\").find(m_text[m_at + 1]) != std::string_view::npos) {
                ++m_at;
            }
            text.push_back(m_text[m_at++]);
        }
        ++m_at;
        inner(text);
    }

    void redirection()
    {
        finish();
        while (m_at < m_text.size()
               && std::string_view("<>&|-").find(m_text[m_at]) != std::string_view::npos) {
            ++m_at;
        }
        m_isRedirection = true;
    }

    void variable(std::string_view name)
    {
        if (name == "HOME" && (!m_isOpen || (m_word.pieces.size() == 1 && m_word.pieces.front().empty()))) {
            put('~');
        } else {
            expansion();
        }
    }

    void inner(std::string_view command)
    {
        expansion();
        m_word.commands.emplace_back(command);
    }

    void expansion() { open().pieces.emplace_back(); }
    void put(char byte) { open().pieces.back().push_back(byte); }

    CommandWord& open()
    {
        if (!m_isOpen) {
            m_word = CommandWord();
            m_word.pieces.emplace_back();
            m_isOpen = true;
        }
        return m_word;
    }

    void finish()
    {
        if (m_isOpen) {
            m_word.kind
                = std::exchange(m_isRedirection, false) ? CommandWord::Kind::File : CommandWord::Kind::Word;
            m_words.push_back(std::move(m_word));
            m_isOpen = false;
        }
    }

    void end()
    {
        finish();
        m_isRedirection = false;
        m_words.push_back({CommandWord::Kind::End, {}, {}, false});
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    CommandWord m_word;
    bool m_isOpen = false;
    bool m_isRedirection = false;
    std::vector<CommandWord> m_words;
};

} // namespace

std::string CommandWord::text() const
{
    std::string text;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        text.append(i == 0 ? "" : "$_").append(pieces[i]);
    }
    return text;
}

std::vector<CommandWord> commandWords(std::string_view command)
{
    return Cutter(command).run();
}

} // namespace revet::policy
