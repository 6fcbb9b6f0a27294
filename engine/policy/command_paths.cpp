// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/command_paths.h"

#include "engine/policy/command_words.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace revet::policy {

namespace {

using Kind = CommandPath::Kind;

constexpr int kMaximumDepth = 4; ///< of commands in commands
constexpr std::size_t kMaximumPath = 4096;

template<std::size_t N>
bool isOneOf(std::string_view word, const std::array<std::string_view, N>& words)
{
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// Words that a command comes after.
bool isPassedOver(std::string_view word)
{
    constexpr std::array<std::string_view, 26> kWords
        = {"{",    "!",      "if",     "then",    "elif",    "else",    "do",    "while",  "until",
           "time", "env",    "exec",   "command", "eval",    "builtin", "nohup", "nice",   "sudo",
           "doas", "setsid", "stdbuf", "xargs",   "timeout", "ionice",  "flock", "busybox"};
    return isOneOf(word, kWords);
}

bool isShell(std::string_view word)
{
    constexpr std::array<std::string_view, 6> kShells = {"sh", "bash", "dash", "zsh", "ksh", "fish"};
    return isOneOf(word, kShells);
}

/// Programs that run a file in the directory that they are in, without a slash in its name.
bool isInterpreter(std::string_view word)
{
    constexpr std::array<std::string_view, 11> kWords
        = {".", "source", "perl", "node", "ruby", "php", "lua", "tclsh", "deno", "bun", "awk"};
    return isShell(word) || isOneOf(word, kWords) || word.starts_with("python");
}

bool isAssignment(std::string_view word)
{
    const std::size_t equals = word.find('=');
    return equals != std::string_view::npos && equals != 0
        && word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
        == equals;
}

class Finder
{
public:
    void read(std::string_view command, int depth)
    {
        // Where the words are: a command's name, behind an interpreter, its code, behind `cd`.
        bool isCommand = true;
        std::string runner;
        bool isCode = false;
        bool isPlace = false;
        for (const CommandWord& word : commandWords(command)) {
            for (const std::string& inner : word.commands) {
                if (depth < kMaximumDepth) {
                    read(inner, depth + 1);
                }
            }
            if (word.kind == CommandWord::Kind::End) {
                isCommand = true;
                runner.clear();
                isCode = isPlace = false;
                continue;
            }
            const std::string text = word.text();
            if ((word.isQuoted && text.find_first_of(" \t\n;|&$`()<>") != std::string::npos)
                && depth < kMaximumDepth) {
                read(text, depth + 1); // sh -c '…'
            }
            if (isCode) {
                isCode = isCommand = false;
                continue;
            }
            if (isPlace && word.pieces.size() == 1) {
                add(Kind::From, text);
            }
            isPlace = false;
            const bool isRun = word.kind == CommandWord::Kind::Word && isCommand;
            pieces(word, isRun, !runner.empty());
            if (!isRun) {
                continue;
            }
            const std::string name = text.substr(text.rfind('/') + 1); // npos + 1 is 0
            if (text.starts_with('-')) {
                const std::string_view codes = isShell(runner) ? "c" : "cemEM";
                isCode = !runner.empty() && !text.starts_with("--") && codes.find(text.back()) != codes.npos;
            } else if (name == "cd" || name == "pushd") {
                isPlace = true;
                isCommand = false;
            } else if (isInterpreter(name) && runner.empty()) {
                runner = name;
            } else if (!isAssignment(text) && !isPassedOver(name)
                       && text.find_first_not_of("0123456789.smhd") != std::string::npos) {
                isCommand = false;
            }
        }
    }

    [[nodiscard]] std::vector<CommandPath> take() { return std::move(m_found); }

private:
    void pieces(const CommandWord& word, bool isRun, bool isInterpreted)
    {
        for (std::size_t i = 0; i < word.pieces.size(); ++i) {
            const std::string_view text = word.pieces[i];
            const bool isBehind = i != 0;
            const bool isBefore = i + 1 != word.pieces.size();
            if (text.find("://") != std::string_view::npos) {
                continue;
            }
            const bool isOption = i == 0 && text.starts_with('-');
            if (!isOption && (i != 0 || !isAssignment(text))) {
                candidate(text, isBehind, isBefore, isRun, isInterpreted);
            } else if (isOption && text.find('/') != std::string_view::npos && text.size() > 2
                       && text.find('=') == std::string_view::npos) {
                candidate(text.substr(2), false, isBefore, false, false); // -fPATH
            }
            parts(text, isBehind, isBefore);
        }
    }

    /// Of "--option=a/b", "a/b:c/d", "@a/b", all but what candidate() has had.
    void parts(std::string_view text, bool isBehind, bool isBefore)
    {
        constexpr std::string_view kSeparators = "=:,@";
        if (text.find_first_of(kSeparators) == std::string_view::npos) {
            return;
        }
        for (bool isFirst = true;; isFirst = false) {
            const std::size_t end = text.find_first_of(kSeparators);
            const bool isLast = end == std::string_view::npos;
            const std::string_view part = text.substr(0, end);
            if (!part.starts_with('-')) {
                candidate(part, isBehind && isFirst, isBefore && isLast, false, false);
            }
            if (isLast) {
                return;
            }
            text.remove_prefix(end + 1);
        }
    }

    void candidate(std::string_view text, bool isBehind, bool isBefore, bool isRun, bool isInterpreted)
    {
        if (text.empty()) {
            return;
        }
        if (isBehind) {
            // Up to there it is still the name that the expansion began.
            const std::size_t slash = text.find('/');
            if (slash == std::string_view::npos) {
                return;
            }
            text.remove_prefix(std::min(text.find_first_not_of('/', slash), text.size()));
        }
        if (isBefore) {
            const std::size_t slash = text.rfind('/');
            if (isRun && slash != std::string_view::npos && slash != 0) {
                add(Kind::Folder, text.substr(0, slash));
            }
            return;
        }
        if (text.ends_with('/')) {
            return;
        }
        const bool hasSlash = text.find('/') != std::string_view::npos;
        const bool isSure = hasSlash || (isBehind && isRun) || (isInterpreted && isRun);
        add(isSure ? Kind::File : Kind::Word, text);
    }

    void add(Kind kind, std::string_view path)
    {
        if (!path.empty() && path != "." && path != ".." && path.size() <= kMaximumPath
            && path.find('\0') == std::string_view::npos && m_known.emplace(kind, path).second) {
            m_found.push_back({kind, std::string(path)});
        }
    }

    std::vector<CommandPath> m_found;
    std::set<std::pair<Kind, std::string>> m_known;
};

} // namespace

std::vector<CommandPath> commandPaths(std::string_view command)
{
    Finder finder;
    finder.read(command.starts_with('!') ? command.substr(1) : command, 0);
    return finder.take();
}

} // namespace revet::policy
