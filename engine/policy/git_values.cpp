// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/git_values.h"

#include <algorithm>
#include <array>

namespace revet::policy {

namespace {

template<std::size_t N>
bool isOneOf(std::string_view word, const std::array<std::string_view, N>& words)
{
    return std::find(words.begin(), words.end(), word) != words.end();
}

} // namespace

GitValue gitValueOf(std::string_view key)
{
    constexpr std::array<std::string_view, 4> kPaths
        = {"core.hookspath", "core.attributesfile", "init.templatedir", "gpg.ssh.allowedsignersfile"};
    constexpr std::array<std::string_view, 2> kPrograms = {"program", "path"};
    constexpr std::array<std::string_view, 30> kCommands
        = {"fsmonitor",  "editor",      "pager",      "sshcommand",  "gitproxy",  "askpass",
           "external",   "textconv",    "clean",      "smudge",      "process",   "driver",
           "helper",     "difffilter",  "uploadpack", "receivepack", "vcs",       "packobjectshook",
           "smtpserver", "sendmailcmd", "tocmd",      "cccmd",       "headercmd", "tunnel",
           "httpd",      "browser",     "args",       "cmd",         "command",   "defaultkeycommand"};
    const std::string_view section = key.substr(0, key.find('.'));
    const std::string_view name = key.substr(key.rfind('.') + 1); // npos + 1 is 0
    if (isOneOf(key, kPaths)) {
        return GitValue::Path;
    }
    if ((section == "include" || section == "includeif") && name == "path") {
        return GitValue::Include;
    }
    if (section == "alias" || section == "pager" || isOneOf(name, kCommands) || name.ends_with("command")
        || (section == "submodule" && name == "update")) {
        return GitValue::Command;
    }
    return section != "submodule" && isOneOf(name, kPrograms) ? GitValue::Program : GitValue::Other;
}

} // namespace revet::policy
