// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/domain/event.h"
#include "engine/domain/ids.h"

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace revet::journal {

/// An event in the form of the schema revet.v1. `process` is the event's, or null where there is none.
[[nodiscard]] nlohmann::json toJson(const Event& event, const ProcessRecord* process,
                                    const SessionId& session);

/// Bytes as JSON text: what is not UTF-8 becomes \xNN, and then `name` + "_bytes" holds all of it in base64.
void putBytes(nlohmann::json& object, const std::string& name, std::string_view bytes);

/// One line without its end; everything but ASCII is written as \uNNNN, so that a terminal shows no surprise.
[[nodiscard]] std::string toJsonLine(const nlohmann::json& object);

/// The command line of a process in one line, quoted for reading.
[[nodiscard]] std::string commandLine(const std::vector<std::string>& arguments);

} // namespace revet::journal
