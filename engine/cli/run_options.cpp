// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/run_options.h"

#include "engine/cli/message.h"
#include "engine/domain/error_line.h"
#include "engine/policy/settings.h"

#include <algorithm>
#include <array>

namespace revet::cli {

namespace {

constexpr std::array<std::string_view, 14> kValueOptions
    = {"--project",   "--tier",    "--profile", "--bind-ro", "--bind-rw", "--unhide",  "--allow-host",
       "--host-port", "--publish", "--socket",  "--on-ask",  "--env",     "--observe", "--name"};

struct Texts
{
    std::string project;
    std::string tier;
    std::string observe;
    std::vector<std::string> bindReadOnly;
    std::vector<std::string> bindReadWrite;
    std::vector<std::string> unhide;
    std::vector<std::string> sockets;
};

std::vector<std::string> absolute(const std::vector<std::string>& paths, const std::filesystem::path& base)
{
    std::vector<std::string> result;
    for (const std::string& path : paths) {
        std::string text = (base / path).lexically_normal().string();
        if (text.size() > 1 && text.ends_with('/')) {
            text.pop_back();
        }
        result.push_back(std::move(text));
    }
    return result;
}

Result<void> judge(const Texts& texts, const std::filesystem::path& base, ipc::RunRequest& request)
{
    if (!texts.tier.empty()) {
        REVET_ASSIGN_OR_RETURN(request.tier, parseTier(texts.tier));
    }
    if (!texts.observe.empty()) {
        REVET_ASSIGN_OR_RETURN(request.observe, parseObserveLevel(texts.observe));
    }
    if (!texts.project.empty()) {
        request.project = absolute({texts.project}, base).front();
    }
    if (!request.onAsk.empty()) {
        REVET_RETURN_IF_ERROR(policy::parseOnAsk(request.onAsk));
    }
    request.bindReadOnly = absolute(texts.bindReadOnly, base);
    request.bindReadWrite = absolute(texts.bindReadWrite, base);
    request.unhide = absolute(texts.unhide, base);
    request.hostSockets = absolute(texts.sockets, base);
    for (const std::string& assignment : request.environmentAssignments) {
        if (assignment.empty() || assignment.front() == '=') {
            return fail(ErrorCode::InvalidArgument, "read --env " + assignment, "write NAME or NAME=VALUE");
        }
    }
    return {};
}

void addOptions(CLI::App& app, ipc::RunRequest& request, Texts& texts)
{
    app.add_option("--project", texts.project, "the directory it works in (default: git work tree, or here)")
        ->type_name("DIR");
    app.add_option("--tier", texts.tier, "how strong a wall: sandbox, container")->type_name("TIER");
    app.add_option("--profile", request.profiles, "what a known program needs; repeatable")
        ->type_name("NAME");
    app.add_option("--bind-ro", texts.bindReadOnly, "show a path of yours, read-only")->type_name("PATH");
    app.add_option("--bind-rw", texts.bindReadWrite, "let it write a path of yours")->type_name("PATH");
    app.add_option("--unhide", texts.unhide, "show a project file that would be hidden")->type_name("PATH");
    app.add_option("--allow-host", request.allowedHosts,
                   "let it connect to a host, *.example.org too; without a port 443 and 80")
        ->type_name("HOST[:PORT]");
    app.add_option("--host-port", request.hostPorts, "let it connect to a port of this machine's loopback")
        ->type_name("PORT")
        ->check(CLI::Range(1, UINT16_MAX));
    app.add_option(
           "--publish", request.publishedPorts,
           "let this machine connect to a port of its loopback, the same one or the next that is free")
        ->type_name("PORT")
        ->check(CLI::Range(1, UINT16_MAX));
    app.add_option("--socket", texts.sockets, "let it speak to a local socket of yours")->type_name("PATH");
    app.add_option("--on-ask", request.onAsk,
                   "what asks do: wait for an answer, deny, or deny after a time such as 30s")
        ->type_name("wait|deny|TIME");
    app.add_option("--env", request.environmentAssignments, "pass a variable, or set one")
        ->type_name("NAME[=VALUE]");
    app.add_option("--observe", texts.observe, "what is recorded: full, writes, exec")->type_name("LEVEL");
    app.add_option("--name", request.label, "a label for the session")->type_name("LABEL");
    app.add_option("--continue", request.continues.emplace(),
                   "go on with the changes of an earlier session: the project's only one, or --continue=ID")
        ->type_name("ID")
        ->expected(0, 1);
    app.add_flag("--detach", request.isDetached, "print the session's id and leave it running")
        ->disable_flag_override();
    // A repeatable option takes one word each time, not all that follow.
    for (CLI::Option* const option : app.get_options()) {
        option->allow_extra_args(false);
    }
    app.footer("Its exit status is the command's own (128 + N for signal N), or 125 when Revet failed,\n"
               "126 when the command cannot be executed, 127 when there is no such command.");
}

} // namespace

RunArguments splitRunArguments(const Arguments& arguments)
{
    std::size_t at = 0;
    while (at < arguments.size() && arguments[at].starts_with('-') && arguments[at] != "--") {
        // Its value may be left out, and would then be the command.
        const bool isContinue = arguments[at] == "--continue" && at + 2 < arguments.size()
            && !arguments[at + 1].starts_with('-') && arguments[at + 2] == "--";
        const bool takesValue = isContinue
            || std::ranges::find(kValueOptions, std::string_view(arguments[at])) != kValueOptions.end();
        at += takesValue ? 2U : 1U;
    }
    at = std::min(at, arguments.size());
    const auto border = arguments.begin() + static_cast<std::ptrdiff_t>(at);
    const bool hasMark = border != arguments.end() && *border == "--";
    return {{arguments.begin(), border}, {border + (hasMark ? 1 : 0), arguments.end()}};
}

ParsedRun parseRun(const Arguments& arguments, const std::filesystem::path& currentDirectory)
{
    const RunArguments parts = splitRunArguments(arguments);
    ParsedRun parsed;
    Texts texts;
    CLI::App app("Runs a command in a box, on this terminal or these pipes.", "revet run");
    addOptions(app, parsed.request, texts);
    if (const std::optional<int> status = parse(app, parts.options)) {
        parsed.exitStatus = *status == kDone ? kDone : kRunFailed;
        return parsed;
    }
    if (app.count("--continue") == 0) {
        parsed.request.continues.reset();
    }
    if (parts.command.empty()) {
        complain("run: there is no command; write `revet run -- COMMAND`");
        parsed.exitStatus = kRunFailed;
        return parsed;
    }
    parsed.request.command = parts.command;
    parsed.request.currentDirectory = currentDirectory.string();
    if (const Result<void> judged = judge(texts, currentDirectory, parsed.request); !judged) {
        complain("run: " + errorLine(judged.error()));
        parsed.exitStatus = kRunFailed;
    }
    return parsed;
}

} // namespace revet::cli
