// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/notifications.h"

#include "engine/approval/ask_notice.h"
#include "engine/base/argument_pointers.h"
#include "engine/domain/display_escape.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace revet::session {

namespace {

constexpr std::size_t kMaximumShown = 4; ///< a flood is told by the inbox
constexpr std::size_t kColumns = 80;

/// What finds the desktop, and Revet's own files for `revet deny`.
constexpr std::array<std::string_view, 9> kVariables{"DBUS_SESSION_BUS_ADDRESS=",
                                                     "XDG_RUNTIME_DIR=",
                                                     "XDG_CONFIG_HOME=",
                                                     "XDG_DATA_HOME=",
                                                     "XDG_CACHE_HOME=",
                                                     "HOME=",
                                                     "PATH=",
                                                     "LANG=",
                                                     "LC_ALL="};

/// A notification's body is a kind of HTML.
std::string withoutMarkup(const std::string& text)
{
    std::string plain;
    for (const char c : text) {
        plain += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
    }
    return plain;
}

std::string shown(std::string_view bytes)
{
    return elideMiddle(displayQuoted(bytes), kColumns);
}

std::string bodyOf(const Ask& ask)
{
    return withoutMarkup(approval::askerOf(ask) + " in " + shown(ask.project) + "; 'revet asks "
                         + ask.id.text() + "' shows more");
}

} // namespace

Notifications::Notifications(const Installation& installation, const std::vector<std::string>& environment)
    : m_program(installation.libexec / "revet-notify")
    , m_revet((installation.libexec / "../../bin/revet").lexically_normal())
{
    std::ranges::copy_if(environment, std::back_inserter(m_environment), [](const std::string& variable) {
        return std::ranges::any_of(kVariables,
                                   [&](std::string_view name) { return variable.starts_with(name); });
    });
}

void Notifications::show(const AskRecord& record)
{
    reap();
    const Ask& ask = record.ask;
    std::array<int, 2> ends{};
    if (m_shown.size() >= kMaximumShown || ::pipe2(ends.data(), O_CLOEXEC) != 0) {
        return;
    }
    const UniqueFd reader(ends[0]);
    Shown made;
    made.lifeline.reset(ends[1]);
    const std::vector<std::string> words{m_program, m_revet, ask.id.text(),
                                         "Revet: " + approval::wishOf(ask, kColumns) + "?", bodyOf(ask)};
    posix_spawn_file_actions_t actions{};
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, reader.get(), STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    // Without that program, or where nothing can be started, the other announcements stand.
    if (::posix_spawn(&made.process, m_program.c_str(), &actions, nullptr, argumentPointers(words).data(),
                      argumentPointers(m_environment).data())
        == 0) {
        m_shown.insert_or_assign(ask.id, std::move(made));
    }
    posix_spawn_file_actions_destroy(&actions);
}

void Notifications::close(const AskId& ask)
{
    if (auto shown = m_shown.extract(ask); !shown.empty()) {
        m_ending.push_back(shown.mapped().process);
    }
    reap();
}

void Notifications::reap()
{
    const auto hasEnded = [](pid_t process) { return ::waitpid(process, nullptr, WNOHANG) != 0; };
    std::erase_if(m_ending, hasEnded);
    std::erase_if(m_shown, [&](const auto& item) { return hasEnded(item.second.process); });
}

} // namespace revet::session
