// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/api/tier_question.h"

#include "engine/api/project_settings.h"
#include "engine/session/tier_choice.h"
#include "engine/session/tier_health.h"

#include <algorithm>

#include <sys/stat.h>
#include <unistd.h>

namespace revet::api {

Result<std::optional<TierQuestion>> tierQuestion(Engine& engine, const ipc::RunRequest& request)
{
    TierQuestion question;
    REVET_ASSIGN_OR_RETURN(question.project, engine.findProject(request.project, request.currentDirectory));
    REVET_ASSIGN_OR_RETURN(const ProjectSettings settings, loadProjectSettings(engine, question.project));
    REVET_ASSIGN_OR_RETURN(const std::vector<SessionInfo> sessions, engine.sessions());
    struct stat root = {};
    if (::stat(question.project.c_str(), &root) != 0) {
        return failErrno("look at " + question.project);
    }
    session::TierSituation situation;
    situation.isOwnWork = root.st_uid == ::getuid();
    situation.isSandboxUsable = session::usableTier(Tier::Sandbox, engine.places()).has_value();
    situation.hasLiveSession = std::ranges::any_of(sessions, [&question](const SessionInfo& session) {
        return isLive(session) && session.project == question.project;
    });
    const std::optional<Tier> proposal
        = session::tierToPropose(request, settings.effective.settings().tier, situation);
    if (!proposal) {
        return std::optional<TierQuestion>();
    }
    question.preselected = *proposal;
    return std::optional(std::move(question));
}

Result<void> answer(Engine& engine, const TierQuestion& question, Tier tier)
{
    return changeProjectSettings(engine, question.project, {"tier=" + std::string(toString(tier))});
}

} // namespace revet::api
