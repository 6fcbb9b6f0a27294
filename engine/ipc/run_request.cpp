// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/ipc/run_request.h"

#include "engine/ipc/json_fields.h"
#include "engine/os/socket.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>

namespace revet::ipc {

namespace {

constexpr std::size_t kMaximumPathBytes = 4096; // PATH_MAX
constexpr std::size_t kMaximumArgumentBytes = std::size_t{2} * 1024 * 1024;
constexpr std::size_t kMaximumArguments = 65536;
constexpr std::size_t kMaximumPaths = 1024;
constexpr std::size_t kMaximumPorts = 64;
constexpr std::size_t kMaximumNameBytes = 256;
constexpr std::size_t kMaximumTermiosBytes = 256;

nlohmann::json terminalToJson(const TerminalState& terminal)
{
    return {
        {"stdin", terminal.stdinIsTerminal},
        {"stdout", terminal.stdoutIsTerminal},
        {"stderr", terminal.stderrIsTerminal},
        {"rows", terminal.rows},
        {"columns", terminal.columns},
        {"settings", toJson(std::string_view(terminal.settings))},
        {"stderrIsStdout", terminal.stderrIsStdout},
        {"closed", terminal.closed},
    };
}

Result<TerminalState> terminalFromJson(const nlohmann::json& object)
{
    FieldReader fields(object);
    TerminalState terminal;
    fields.read("stdin", terminal.stdinIsTerminal);
    fields.read("stdout", terminal.stdoutIsTerminal);
    fields.read("stderr", terminal.stderrIsTerminal);
    fields.read("rows", terminal.rows);
    fields.read("columns", terminal.columns);
    fields.read("settings", terminal.settings, kMaximumTermiosBytes);
    fields.read("stderrIsStdout", terminal.stderrIsStdout);
    fields.read("closed", terminal.closed);
    REVET_RETURN_IF_ERROR(fields.result());
    return terminal;
}

bool isAbsolute(const std::string& path)
{
    return path.starts_with('/');
}

/// execve() and open() would read a text with a NUL as another, shorter one.
bool holdsNul(const std::string& text)
{
    return text.find('\0') != std::string::npos;
}

bool holdsNul(const std::vector<std::string>& list)
{
    return std::any_of(list.begin(), list.end(), [](const std::string& text) { return holdsNul(text); });
}

Result<void> check(const RunRequest& request)
{
    if (request.command.empty()) {
        return fail(ErrorCode::Malformed, "read a run request", "there is no command");
    }
    for (const auto* list : {&request.command, &request.environment, &request.profiles,
                             &request.environmentAssignments, &request.bindReadOnly, &request.bindReadWrite,
                             &request.unhide, &request.allowedHosts, &request.hostSockets}) {
        if (holdsNul(*list)) {
            return fail(ErrorCode::Malformed, "read a run request", "a NUL byte stands in a text");
        }
    }
    bool isEveryPathAbsolute
        = isAbsolute(request.currentDirectory) && (!request.project || isAbsolute(*request.project));
    for (const auto* list : {&request.bindReadOnly, &request.bindReadWrite, &request.unhide}) {
        isEveryPathAbsolute = isEveryPathAbsolute && std::all_of(list->begin(), list->end(), isAbsolute);
    }
    if (!isEveryPathAbsolute || holdsNul(request.currentDirectory)
        || (request.project && holdsNul(*request.project))) {
        return fail(ErrorCode::Malformed, "read a run request", "a path is not absolute");
    }
    return {};
}

Result<void> readChoices(FieldReader& fields, RunRequest& request)
{
    std::string text;
    if (fields.has("tier")) {
        fields.read("tier", text, kMaximumNameBytes);
        REVET_ASSIGN_OR_RETURN(request.tier, parseTier(text));
    }
    if (fields.has("observe")) {
        fields.read("observe", text, kMaximumNameBytes);
        REVET_ASSIGN_OR_RETURN(request.observe, parseObserveLevel(text));
    }
    const nlohmann::json* const terminal = fields.find("terminal");
    if (terminal != nullptr && terminal->is_object()) {
        REVET_ASSIGN_OR_RETURN(request.terminal, terminalFromJson(*terminal));
    }
    return {};
}

} // namespace

std::string encodeRunRequest(const RunRequest& request)
{
    nlohmann::json object = {
        {"command", toJson(request.command)},
        {"environment", toJson(request.environment)},
        {"currentDirectory", toJson(request.currentDirectory)},
        {"profiles", toJson(request.profiles)},
        {"environmentAssignments", toJson(request.environmentAssignments)},
        {"bindReadOnly", toJson(request.bindReadOnly)},
        {"bindReadWrite", toJson(request.bindReadWrite)},
        {"unhide", toJson(request.unhide)},
        {"allowedHosts", toJson(request.allowedHosts)},
        {"hostSockets", toJson(request.hostSockets)},
        {"hostPorts", request.hostPorts},
        {"publishedPorts", request.publishedPorts},
        {"label", toJson(request.label)},
        {"onAsk", toJson(request.onAsk)},
        {"detached", request.isDetached},
        {"terminal", terminalToJson(request.terminal)},
        {"interactive", request.isInteractive},
    };
    if (request.project) {
        object["project"] = toJson(*request.project);
    }
    if (request.continues) {
        object["continues"] = toJson(*request.continues);
    }
    if (request.tier) {
        object["tier"] = toString(*request.tier);
    }
    if (request.observe) {
        object["observe"] = toString(*request.observe);
    }
    return object.dump();
}

Result<RunRequest> decodeRunRequest(std::string_view json)
{
    REVET_ASSIGN_OR_RETURN(const nlohmann::json object, parseObject(json));
    FieldReader fields(object);
    RunRequest request;
    fields.read("command", request.command, kMaximumArguments, kMaximumArgumentBytes);
    fields.read("environment", request.environment, kMaximumArguments, kMaximumArgumentBytes);
    fields.read("currentDirectory", request.currentDirectory, kMaximumPathBytes);
    fields.read("profiles", request.profiles, kMaximumPaths, kMaximumNameBytes);
    fields.read("environmentAssignments", request.environmentAssignments, kMaximumPaths,
                kMaximumArgumentBytes);
    fields.read("bindReadOnly", request.bindReadOnly, kMaximumPaths, kMaximumPathBytes);
    fields.read("bindReadWrite", request.bindReadWrite, kMaximumPaths, kMaximumPathBytes);
    fields.read("unhide", request.unhide, kMaximumPaths, kMaximumPathBytes);
    fields.read("allowedHosts", request.allowedHosts, kMaximumPaths, kMaximumPathBytes);
    fields.read("hostSockets", request.hostSockets, kMaximumPaths, kMaximumPathBytes);
    fields.readPorts("hostPorts", request.hostPorts, kMaximumPorts);
    fields.readPorts("publishedPorts", request.publishedPorts, kMaximumPorts);
    fields.read("label", request.label, kMaximumNameBytes);
    fields.read("onAsk", request.onAsk, kMaximumNameBytes);
    fields.read("detached", request.isDetached);
    fields.read("interactive", request.isInteractive);
    if (fields.has("project")) {
        fields.read("project", request.project.emplace(), kMaximumPathBytes);
    }
    if (fields.has("continues")) {
        fields.read("continues", request.continues.emplace(), kMaximumNameBytes);
    }
    REVET_RETURN_IF_ERROR(readChoices(fields, request));
    REVET_RETURN_IF_ERROR(fields.result());
    REVET_RETURN_IF_ERROR(check(request));
    return request;
}

Result<UniqueFd> sealInMemory(std::string_view text)
{
    return os::sealedMemory("revet-request", text);
}

Result<std::string> readSealed(int fd, std::size_t maximum)
{
    constexpr int kNeeded = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK;
    const int seals = ::fcntl(fd, F_GET_SEALS);
    if (seals < 0 || (seals & kNeeded) != kNeeded) {
        return fail(ErrorCode::Malformed, "read a sealed memory file", "it can still be changed");
    }
    return os::readAll(fd, maximum);
}

} // namespace revet::ipc
