// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/domain/event.h"
#include "engine/domain/places.h"
#include "engine/domain/session_info.h"
#include "engine/ipc/run_request.h"
#include "engine/launcher/plan.h"
#include "engine/policy/network_rules.h"
#include "engine/policy/settings.h"
#include "engine/session/account.h"
#include "engine/session/home_view.h"
#include "engine/session/project_finder.h"
#include "engine/session/relayed_sockets.h"
#include "engine/session/shipped_data.h"
#include "engine/session/tool_configuration.h"
#include "engine/tiers/box_spec.h"

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace revet::session {

/// Everything about a session that is decided before its box exists.
struct Preparation
{
    SessionInfo info;
    tiers::BoxSpec spec;
    launcher::SpawnRequest command;
    std::vector<std::string> lines; ///< for the person, before the start; fit for a screen
    std::vector<Fact> notes; ///< for the journal
    std::vector<UniqueFd> uppers; ///< container: the layers' upper directories, which are closed by name
    std::string waiting; ///< for the last line: changes that this session does not have
    bool isContinued = false; ///< the layer is an earlier session's
    policy::UndoSettings undo;
    std::filesystem::path directory; ///< Revet's own for the project
    policy::NetworkRules network;
    std::vector<RelayedSocket> sockets;
    policy::NetworkRules model; ///< those of `network` that lead to an agent's model
    std::chrono::seconds askDeadline{}; ///< for an answer; 0: nobody can be asked
    std::vector<UniqueFd> locks; ///< held for as long as the session lives
};

/// Where the box's status file is, of all that is a session's.
[[nodiscard]] std::filesystem::path statusDirectory(const std::filesystem::path& sessionDirectory);

/// A session that starts now in this process, but for its id.
[[nodiscard]] SessionInfo describeSession(const ipc::RunRequest& request, const FoundProject& project,
                                          Tier tier);

/// What decides besides the request.
struct Surroundings
{
    Places places;
    Account account;
    SessionInfo session; ///< as the catalogue has it
    std::string projectKey; ///< names the project's own directories: the catalogue's id of it
    std::optional<SessionInfo> continues = std::nullopt; ///< whose layer this session takes over
    policy::UndoSettings undo = {};
    std::vector<policy::NetworkRule> network = {}; ///< of the settings
    std::vector<std::string> projects = {}; ///< paths of all that have had sessions
    bool hasGrants = false; ///< the project has some that let its sessions go somewhere
};

/// Turns a request into a box to build. Makes the session's and the project's directories.
[[nodiscard]] Result<Preparation> prepare(const ipc::RunRequest& request, const FoundProject& project,
                                          const Surroundings& surroundings, ShippedData& data);

} // namespace revet::session
