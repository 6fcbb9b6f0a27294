// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/account.h"

#include "engine/base/own_account.h"

#include <algorithm>
#include <filesystem>

#include <unistd.h>

namespace revet::session {

std::string environmentValue(const std::vector<std::string>& environment, const std::string& name)
{
    const std::string prefix = name + "=";
    for (const std::string& variable : environment) {
        if (variable.starts_with(prefix)) {
            return variable.substr(prefix.size());
        }
    }
    return {};
}

std::vector<std::filesystem::path> directoriesOf(std::string_view path)
{
    std::vector<std::filesystem::path> directories;
    while (!path.empty()) {
        const std::size_t colon = std::min(path.find(':'), path.size());
        directories.emplace_back(path.substr(0, colon));
        path.remove_prefix(std::min(colon + 1, path.size()));
    }
    return directories;
}

std::string expandHome(const std::string& path, const std::string& home)
{
    return path.starts_with("~/") ? home + path.substr(1) : path;
}

std::vector<std::string> ownEnvironment()
{
    std::vector<std::string> variables;
    for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
        variables.emplace_back(*variable);
    }
    return variables;
}

Result<Account> findAccount(const std::vector<std::string>& environment)
{
    Account account;
    account.uid = ::getuid();
    account.gid = ::getgid();
    if (account.uid == 0) {
        return fail(ErrorCode::Refused, "start a session as root", "run revet as the user whose work it is");
    }
    const auto line = ownPasswordLine();
    account.name = line ? line->name : environmentValue(environment, "USER");
    if (account.name.empty() || account.name.find_first_of(":,\n") != std::string::npos) {
        account.name = "user"; // it becomes a field of the box's own /etc/passwd
    }
    std::string home = environmentValue(environment, "HOME");
    if (!home.starts_with('/')) {
        home = line ? line->home : "";
    }
    std::error_code error;
    account.home = std::filesystem::canonical(home, error).string();
    if (error || account.home == "/") {
        return fail(ErrorCode::InvalidArgument, "find your home directory",
                    "set HOME to a directory of your own");
    }
    return account;
}

} // namespace revet::session
