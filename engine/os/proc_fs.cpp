// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/os/proc_fs.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <csignal>
#include <memory>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace revet::os {
namespace {

constexpr std::size_t kStatusLimit = 16384;

template<typename Number>
[[nodiscard]] bool parseNumber(std::string_view text, Number* number, int base = 10)
{
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, *number, base);
    return error == std::errc() && stop == end;
}

/// The next word of `text`, which loses it.
[[nodiscard]] std::string_view takeWord(std::string_view* text)
{
    const std::size_t begin = std::min(text->find_first_not_of(" \t\n"), text->size());
    text->remove_prefix(begin);
    const std::string_view word = text->substr(0, text->find_first_of(" \t\n"));
    text->remove_prefix(word.size());
    return word;
}

/// What stands after "\nName:" up to the end of the line.
[[nodiscard]] std::string_view lineOf(std::string_view text, std::string_view name)
{
    const std::size_t at = text.find(name);
    if (at == std::string_view::npos) {
        return {};
    }
    const std::string_view rest = text.substr(at + name.size());
    return rest.substr(0, rest.find('\n'));
}

} // namespace

Result<ProcessStat> parseProcessStat(const std::string& text)
{
    // The name in field 2 is the process's own and may hold anything; no later field holds a ')'.
    const std::size_t nameEnd = text.rfind(')');
    if (nameEnd == std::string::npos) {
        return fail(ErrorCode::Malformed, "parse /proc/PID/stat");
    }
    std::string_view rest = std::string_view(text).substr(nameEnd + 1);
    ProcessStat stat;
    const std::string_view state = takeWord(&rest);
    bool isGood = state.size() == 1 && parseNumber(takeWord(&rest), &stat.parent);
    stat.state = isGood ? state.front() : '?';
    for (int field = 5; field <= 52 && isGood; ++field) {
        const std::string_view word = takeWord(&rest);
        if (field == 22) {
            isGood = parseNumber(word, &stat.startTicks);
        }
        if (field == 52) {
            isGood = parseNumber(word, &stat.waitStatus);
        }
    }
    if (!isGood) {
        return fail(ErrorCode::Malformed, "parse /proc/PID/stat");
    }
    return stat;
}

Result<ProcessStatus> parseProcessStatus(const std::string& text)
{
    ProcessStatus status;
    std::string_view umask = lineOf(text, "\nUmask:");
    std::string_view group = lineOf(text, "\nTgid:");
    std::string_view pids = lineOf(text, "\nNSpid:");
    bool isGood = parseNumber(takeWord(&umask), &status.umask, 8)
        && parseNumber(takeWord(&group), &status.threadGroup);
    for (std::string_view pid = takeWord(&pids); !pid.empty() && isGood; pid = takeWord(&pids)) {
        isGood = parseNumber(pid, &status.innermostPid);
        ++status.namespaceDepth;
    }
    --status.namespaceDepth;
    if (!isGood || status.innermostPid == 0) {
        return fail(ErrorCode::Malformed, "parse /proc/PID/status");
    }
    return status;
}

Result<SignalState> parseSignalState(const std::string& status)
{
    const auto set = [&](std::string_view name, std::uint64_t* bits) {
        std::string_view line = lineOf(status, name);
        return parseNumber(takeWord(&line), bits, 16);
    };
    std::uint64_t forThread = 0;
    std::uint64_t forProcess = 0;
    std::uint64_t blocked = 0;
    std::uint64_t caught = 0;
    SignalState state;
    std::string_view threads = lineOf(status, "\nThreads:");
    if (!set("\nSigPnd:", &forThread) || !set("\nShdPnd:", &forProcess) || !set("\nSigBlk:", &blocked)
        || !set("\nSigCgt:", &caught) || !parseNumber(takeWord(&threads), &state.threads)) {
        return fail(ErrorCode::Malformed, "parse the signals of /proc/PID/status");
    }
    constexpr auto bit = [](int signal) { return std::uint64_t{1} << static_cast<unsigned>(signal - 1); };
    const std::uint64_t acting = ~blocked & (caught | bit(SIGSTOP) | bit(SIGTSTP));
    state.pending = (forThread | forProcess) & acting;
    state.isForThread = (forThread & acting) != 0;
    return state;
}

Result<ProcessDirectory> ProcessDirectory::open(int tid)
{
    const std::string path = "/proc/" + std::to_string(tid);
    UniqueFd directory(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!directory) {
        return failErrno("open " + path);
    }
    return ProcessDirectory(std::move(directory));
}

Result<ProcessStat> ProcessDirectory::stat() const
{
    REVET_ASSIGN_OR_RETURN(const std::string text, readFile("stat", kStatusLimit));
    return parseProcessStat(text);
}

Result<ProcessStatus> ProcessDirectory::status() const
{
    REVET_ASSIGN_OR_RETURN(const std::string text, readFile("status", kStatusLimit));
    return parseProcessStatus(text);
}

Result<SignalState> ProcessDirectory::signals() const
{
    REVET_ASSIGN_OR_RETURN(const std::string text, readFile("status", kStatusLimit));
    return parseSignalState(text);
}

Result<int> ProcessDirectory::seccompFilters() const
{
    REVET_ASSIGN_OR_RETURN(const std::string text, readFile("status", kStatusLimit));
    std::string_view line = lineOf(text, "\nSeccomp_filters:");
    int filters = 0;
    if (!parseNumber(takeWord(&line), &filters)) {
        return fail(ErrorCode::Malformed, "parse the filters of /proc/PID/status");
    }
    return filters;
}

Result<std::string> ProcessDirectory::readLink(const char* name) const
{
    std::array<char, PATH_MAX> target{};
    const ssize_t size = ::readlinkat(m_directory.get(), name, target.data(), target.size());
    if (size < 0) {
        return failErrno(std::string("read a process's ") + name);
    }
    return std::string(target.data(), static_cast<std::size_t>(size));
}

Result<FileId> ProcessDirectory::identityOf(const char* name) const
{
    struct stat status
    {
    };
    if (::fstatat(m_directory.get(), name, &status, 0) < 0) {
        return failErrno(std::string("look at a process's ") + name);
    }
    return FileId{status.st_dev, status.st_ino};
}

Result<std::vector<std::string>> ProcessDirectory::commandLine(std::size_t limit) const
{
    REVET_ASSIGN_OR_RETURN(const std::string text, readFile("cmdline", limit));
    std::vector<std::string> arguments;
    std::size_t begin = 0;
    while (begin < text.size()) {
        const std::size_t end = std::min(text.find('\0', begin), text.size());
        arguments.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return arguments;
}

std::vector<int> ProcessDirectory::children(std::size_t limit) const
{
    std::vector<int> children;
    const int tasks = ::openat(m_directory.get(), "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (tasks < 0) {
        return children;
    }
    const std::unique_ptr<DIR, int (*)(DIR*)> directory(::fdopendir(tasks), ::closedir);
    // NOLINTNEXTLINE(concurrency-mt-unsafe): readdir is safe on a stream of one's own (POSIX.1-2024)
    while (const dirent* const entry = directory ? ::readdir(directory.get()) : nullptr) {
        const std::string name = std::string("task/") + entry->d_name + "/children";
        const Result<std::string> text = readFile(name.c_str(), kStatusLimit);
        std::string_view rest = text ? std::string_view(*text) : std::string_view();
        int child = 0;
        while (children.size() < limit && parseNumber(takeWord(&rest), &child)) {
            children.push_back(child);
        }
    }
    return children;
}

Result<std::string> ProcessDirectory::readFile(const char* name, std::size_t limit) const
{
    const UniqueFd file(::openat(m_directory.get(), name, O_RDONLY | O_CLOEXEC));
    if (!file) {
        return failErrno(std::string("open a process's ") + name);
    }
    std::string text;
    std::array<char, 4096> chunk; // NOLINT(cppcoreguidelines-pro-type-member-init): written before read
    while (text.size() < limit) {
        const ssize_t size = ::read(file.get(), chunk.data(), std::min(chunk.size(), limit - text.size()));
        if (size < 0) {
            return failErrno(std::string("read a process's ") + name);
        }
        if (size == 0) {
            break;
        }
        text.append(chunk.data(), static_cast<std::size_t>(size));
    }
    return text;
}

} // namespace revet::os
