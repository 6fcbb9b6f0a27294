// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/settings_application.h"

#include "engine/session/account.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace revet::session {

namespace {

/// The variable that an assignment is about.
std::string_view nameOf(std::string_view assignment)
{
    return assignment.substr(0, assignment.find('='));
}

void addMissing(std::vector<std::string>& to, const std::string& value)
{
    if (std::find(to.begin(), to.end(), value) == to.end()) {
        to.push_back(value);
    }
}

} // namespace

void applySettings(const policy::Settings& settings, const std::string& project, const std::string& home,
                   ipc::RunRequest& request)
{
    for (const std::string& name : settings.profiles) {
        addMissing(request.profiles, name);
    }
    for (const std::string& path : settings.unhide) {
        addMissing(request.unhide, project + "/" + path);
    }
    for (const std::string& path : settings.bindRo) {
        addMissing(request.bindReadOnly, expandHome(path, home));
    }
    for (const std::string& path : settings.bindRw) {
        addMissing(request.bindReadWrite, expandHome(path, home));
    }
    for (const std::string& assignment : settings.env) {
        const bool isNamed
            = std::any_of(request.environmentAssignments.begin(), request.environmentAssignments.end(),
                          [&](const std::string& own) { return nameOf(own) == nameOf(assignment); });
        if (!isNamed) {
            request.environmentAssignments.push_back(assignment);
        }
    }
    if (!request.observe) {
        request.observe = settings.observe;
    }
    if (request.onAsk.empty() && settings.onAsk) {
        request.onAsk = policy::toString(*settings.onAsk);
    }
}

} // namespace revet::session
