// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/api/engine.h"
#include "engine/cli/command.h"

#include <string>

#include <nlohmann/json.hpp>

namespace revet::cli {

/// What commands about one session have in common: [ID] and --json.
struct SessionArgument
{
    std::string id;
    bool isJson = false;

    void addTo(CLI::App& app);
};

/// The current directory; empty where it has been removed.
[[nodiscard]] std::string currentDirectory();

/// What was wanted, or the status to exit with once it has been said why not.
template<typename T>
using OrStatus = tl::expected<T, int>;

/// The one session that was meant; where several can be, they are listed for the next try.
[[nodiscard]] OrStatus<SessionInfo> chooseSession(api::Engine& engine, const std::string& id,
                                                  api::Engine::Candidates candidates);

/// The journal of the session that was named.
struct OpenedSession
{
    SessionInfo session;
    journal::JournalReader reader;
};
[[nodiscard]] OrStatus<OpenedSession> openSession(api::Engine& engine, const SessionArgument& argument);

/// A line of a listing: {"schema":"revet.v1","session":…}.
[[nodiscard]] nlohmann::json listingObject(const SessionId& session);
void printJson(const nlohmann::json& object);

} // namespace revet::cli
