// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/unique_fd.h"
#include "engine/domain/ask.h"
#include "engine/session/installation.h"

#include <map>
#include <string>
#include <vector>

#include <sys/types.h>

namespace revet::session {

/// What is asked, on the desktop, as long as it is open: a revet-notify each. A few at once; the others stand
/// in the inbox all the same. Without a desktop or that program nothing happens: the terminal's line is the
/// announcement. One thread.
class Notifications
{
public:
    /// `environment` of the caller says where the desktop is.
    Notifications(const Installation& installation, const std::vector<std::string>& environment);

    void show(const AskRecord& record);
    /// It was answered, or nobody waits any more.
    void close(const AskId& ask);

private:
    struct Shown
    {
        pid_t process = 0;
        UniqueFd lifeline; ///< its standard input: it closes the notification when this is closed
    };
    void reap();

    std::string m_program;
    std::string m_revet;
    std::vector<std::string> m_environment;
    std::map<AskId, Shown> m_shown;
    std::vector<pid_t> m_ending;
};

} // namespace revet::session
