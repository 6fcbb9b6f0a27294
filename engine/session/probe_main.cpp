// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/probe.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace revet::probe {

Outcome refused(int errnoValue, std::initializer_list<int> wanted)
{
    if (errnoValue == 0) {
        return failed("it worked");
    }
    const bool isWanted = std::find(wanted.begin(), wanted.end(), errnoValue) != wanted.end();
    return isWanted ? ok(errnoName(errnoValue)) : failed("inconclusive: " + errnoName(errnoValue));
}

Outcome worked(int errnoValue, const std::string& what)
{
    return errnoValue == 0 ? ok(what) : failed(what + ": " + errnoName(errnoValue));
}

int outcomeOf(long result)
{
    return result < 0 ? errno : 0;
}

std::string errnoName(int errnoValue)
{
    const char* const name = ::strerrorname_np(errnoValue);
    return name != nullptr ? name : "errno " + std::to_string(errnoValue);
}

int readFile(const std::string& path, std::string& text)
{
    constexpr std::size_t kMaximum = std::size_t{1} << 20U;
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return errno;
    }
    std::array<char, 4096> buffer{};
    ssize_t size = 0;
    text.clear();
    while (text.size() < kMaximum && (size = ::read(fd, buffer.data(), buffer.size())) > 0) {
        text.append(buffer.data(), static_cast<std::size_t>(size));
    }
    const int result = outcomeOf(size);
    ::close(fd);
    return result;
}

int createFile(const std::string& path, const std::string& text)
{
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
    if (fd < 0) {
        return errno;
    }
    const int result = outcomeOf(::write(fd, text.data(), text.size()));
    ::close(fd);
    return result;
}

namespace {

constexpr unsigned kPatience = 10; ///< seconds for one probe

/// One line, in one write: "name<TAB>ok|FAIL|skip<TAB>detail".
void say(std::string_view name, const Outcome& outcome)
{
    const char* const word = outcome.kind == Outcome::Kind::Ok ? "ok"
        : outcome.kind == Outcome::Kind::Fail                  ? "FAIL"
                                                               : "skip";
    std::string line = std::string(name) + "\t" + word + "\t" + outcome.detail;
    std::replace(line.begin(), line.end(), '\n', ' ');
    line += '\n';
    static_cast<void>(::write(STDOUT_FILENO, line.data(), line.size()));
}

/// In a process of its own: a probe that hangs, dies or enters another namespace spoils no other.
void run(const Probe& probe, const HostFacts& facts)
{
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(kPatience);
        say(probe.name, probe.run(facts));
        ::_exit(0);
    }
    int status = 0;
    while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) { }
    if (child < 0) {
        say(probe.name, failed("inconclusive: no process for it"));
    } else if (WIFSIGNALED(status)) {
        const bool isTimeout = WTERMSIG(status) == SIGALRM;
        say(probe.name,
            failed(isTimeout ? "inconclusive: it took too long"
                             : std::string("inconclusive: ended by SIG") + ::sigabbrev_np(WTERMSIG(status))));
    }
}

std::size_t runAll(std::span<const Probe> probes, const HostFacts& facts)
{
    for (const Probe& probe : probes) {
        run(probe, facts);
    }
    return probes.size();
}

HostFacts parseFacts(std::span<char* const> words)
{
    HostFacts facts;
    for (const std::string_view word : words) {
        const std::size_t equals = word.find('=');
        const std::string_view name = word.substr(0, equals);
        const std::string value(equals == std::string_view::npos ? "" : word.substr(equals + 1));
        const int number = static_cast<int>(std::strtol(value.c_str(), nullptr, 10));
        if (name == "layered") {
            facts.isLayered = number != 0;
        } else if (name == "project") {
            facts.project = value;
        } else if (name == "outside") {
            facts.outside = value;
        } else if (name == "port4") {
            facts.port4 = number;
        } else if (name == "port6") {
            facts.port6 = number;
        } else if (name == "abstract-socket") {
            facts.abstractSocket = value;
        } else if (name == "hidden-socket") {
            facts.hiddenSocket = value;
        } else if (name == "project-socket") {
            facts.projectSocket = value;
        } else if (name == "process") {
            facts.process = number;
        } else if (name == "mark") {
            facts.mark = value;
        } else if (name == "key") {
            facts.key = value;
        }
    }
    return facts;
}

} // namespace

} // namespace revet::probe

int main(int argc, char** argv)
{
    using namespace revet::probe;
    const std::span<char* const> words(argv, static_cast<std::size_t>(argc));
    const std::string_view deed = argc > 1 ? words[1] : "";
    if (deed == "nothing") {
        return 0;
    }
    if (deed == "wait") {
        ::pause();
        return 0;
    }
    std::size_t count = 0;
    if (deed == "machine") {
        count = runAll(machineProbes(), {});
    } else if (deed == "walls") {
        const HostFacts facts = parseFacts(words.subspan(2));
        for (const auto probes : {processProbes(), callProbes(), socketProbes(), fileProbes()}) {
            count += runAll(probes, facts);
        }
    } else {
        constexpr std::string_view kText = "revet-probe: this program is run by 'revet doctor'\n";
        static_cast<void>(::write(STDERR_FILENO, kText.data(), kText.size()));
        return 2;
    }
    // Without it the doctor knows that something cut us short.
    say("complete", ok(std::to_string(count)));
    return 0;
}
