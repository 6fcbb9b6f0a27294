// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/exec_failure.h"

#include "engine/domain/display_escape.h"
#include "engine/session/account.h"

#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include <unistd.h>

namespace revet::session {

namespace {

namespace fs = std::filesystem;

bool isProgram(const fs::path& file)
{
    std::error_code error;
    return fs::is_regular_file(file, error) && ::access(file.c_str(), X_OK) == 0;
}

/// Where the caller's own shell would find it; empty where it would not.
fs::path programOutside(const ipc::RunRequest& request)
{
    const std::string& name = request.command.front();
    if (name.find('/') != std::string::npos) {
        const fs::path file = fs::path(request.currentDirectory) / name;
        return isProgram(file) ? file : fs::path();
    }
    const std::string path = environmentValue(request.environment, "PATH");
    for (std::string_view rest = path; !name.empty() && !rest.empty();) {
        const std::size_t colon = rest.find(':');
        const fs::path file = fs::path(rest.substr(0, colon)) / name;
        if (file.is_absolute() && isProgram(file)) {
            return file;
        }
        rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
    }
    return {};
}

std::string remedyFor(const ipc::RunRequest& request, std::int32_t errnoValue)
{
    const std::string& name = request.command.front();
    std::error_code error;
    if (errnoValue != ENOENT) {
        const bool isDirectory
            = !name.empty() && fs::is_directory(fs::path(request.currentDirectory) / name, error);
        return isDirectory ? "it is a directory; name a program"
                           : "make it executable, or name its interpreter";
    }
    if (const fs::path outside = programOutside(request); !outside.empty()) {
        return "the box does not have " + displayQuoted(outside.string())
            + " or the interpreter that it names; show what is missing with --bind-ro";
    }
    return name.find('/') == std::string::npos
        ? "no directory of PATH has it, in the box or outside; check its name"
        : "check its path";
}

} // namespace

ipc::Failed execFailure(const ipc::RunRequest& request, std::int32_t errnoValue)
{
    return {errnoValue == ENOENT ? 127 : 126,
            "run " + displayQuoted(request.command.front()) + ": "
                + std::generic_category().message(errnoValue) + "; " + remedyFor(request, errnoValue)};
}

} // namespace revet::session
