// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/run_command.h"

#include "engine/cli/command.h"
#include "engine/cli/continue_question.h"
#include "engine/cli/message.h"
#include "engine/cli/run_options.h"
#include "engine/cli/tier_question.h"

#include <cstring>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <linux/kcmp.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace revet::cli {

namespace {

/// The terminal to take keys from and to draw on: whichever stream leads to it.
int findTerminal(const ipc::TerminalState& state)
{
    if (state.stdinIsTerminal) {
        return STDIN_FILENO;
    }
    if (state.stdoutIsTerminal) {
        return STDOUT_FILENO;
    }
    return state.stderrIsTerminal ? STDERR_FILENO : -1;
}

/// What was closed is filled when we start (fillStandardDescriptors()); nothing that was inherited is closed
/// by an exec.
std::uint8_t closedStreams()
{
    unsigned closed = 0;
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        const int flags = ::fcntl(stream, F_GETFD);
        closed |= flags < 0 || (flags & FD_CLOEXEC) != 0 ? 1U << static_cast<unsigned>(stream) : 0U;
    }
    return static_cast<std::uint8_t>(closed);
}

/// `2>&1`: with a pipe for each, a build's errors would no longer stand below the lines they belong to.
bool isOneOutput()
{
    struct stat output = {};
    struct stat errors = {};
    if (::fstat(STDOUT_FILENO, &output) != 0 || ::fstat(STDERR_FILENO, &errors) != 0
        || output.st_dev != errors.st_dev || output.st_ino != errors.st_ino) {
        return false;
    }
    // Two opens of one file have two positions in it.
    return S_ISFIFO(output.st_mode)
        || ::syscall(SYS_kcmp, ::getpid(), ::getpid(), KCMP_FILE, STDOUT_FILENO, STDERR_FILENO) == 0;
}

/// The box's terminal starts as the caller's is. Where the caller's stays in charge of lines, it echoes too.
std::string settingsForBox(const Terminal& terminal, const ipc::TerminalState& state)
{
    std::string bytes = terminal.settingsBytes();
    if (!bytes.empty() && !(state.stdinIsTerminal && state.stdoutIsTerminal)) {
        termios settings = terminal.settings();
        settings.c_lflag &= ~static_cast<tcflag_t>(ECHO);
        std::memcpy(bytes.data(), &settings, sizeof settings);
    }
    return bytes;
}

} // namespace

Ran runInForeground(ipc::RunRequest request)
{
    ipc::TerminalState& state = request.terminal;
    state.stdinIsTerminal = ::isatty(STDIN_FILENO) == 1;
    state.stdoutIsTerminal = ::isatty(STDOUT_FILENO) == 1;
    state.stderrIsTerminal = ::isatty(STDERR_FILENO) == 1;
    state.stderrIsStdout = isOneOutput();
    state.closed = closedStreams();
    Terminal terminal(request.isDetached ? -1 : findTerminal(state));
    const TerminalSize size = terminal.size();
    state.rows = size.rows;
    state.columns = size.columns;
    state.settings = settingsForBox(terminal, state);
    for (char** variable = environ; *variable != nullptr; ++variable) {
        request.environment.emplace_back(*variable);
    }
    // A job in the background would be stopped by its question.
    request.isInteractive = state.stdinIsTerminal && state.stderrIsTerminal && terminal.isInForeground();
    if (const std::optional<int> status = settleContinuation(request)) {
        return {*status, std::nullopt};
    }
    if (const std::optional<int> status = askForTier(request)) {
        return {*status, std::nullopt};
    }

    const auto lines = state.stderrIsTerminal ? ForegroundRun::Lines::Shown : ForegroundRun::Lines::Hidden;
    ForegroundRun run(terminal, lines);
    const int status = run.run(request);
    return {status, run.session()};
}

int runRun(const Arguments& arguments)
{
    std::error_code problem;
    const std::filesystem::path here = std::filesystem::current_path(problem);
    if (problem) {
        complain("run: find the current directory: " + problem.message() + "; change to one that exists");
        return kRunFailed;
    }
    ParsedRun parsed = parseRun(arguments, here);
    if (parsed.exitStatus) {
        return *parsed.exitStatus;
    }
    if (::geteuid() == 0) {
        complain("run: root is refused: a box of root's would hold nothing back; run it as an ordinary user");
        return kRunFailed;
    }
    return runInForeground(std::move(parsed.request)).status;
}

} // namespace revet::cli
