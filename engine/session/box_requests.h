// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/ipc/box_protocol.h"
#include "engine/os/socket.h"
#include "engine/session/ask_desk.h"
#include "engine/session/path_offers.h"
#include "engine/session/rule_decider.h"
#include "engine/session/status_file.h"

#include <string>
#include <utility>

namespace revet::session {

/// What becomes of what a box says: an ask as if the program had tried, a row of the log, or what the box can
/// read anyway. One thread.
class BoxRequests
{
public:
    /// What is borrowed outlives this; nullptr for what this box does not have.
    struct Parts
    {
        Recorder& recorder;
        AskDesk* desk;
        const RuleDecider* decider;
        PathOffers* offers;
        const StatusFile* status;
        UniqueFd root; ///< O_PATH, of the box's tree
    };
    explicit BoxRequests(Parts parts)
        : m_parts(std::move(parts))
    {
    }

    /// A frame.
    [[nodiscard]] std::string answer(const os::Sender& sender, const ipc::BoxRequest& request);
    /// One that was not even looked at.
    void refusedForHaste();

private:
    [[nodiscard]] ProcessNumber processOf(const os::Sender& sender);
    [[nodiscard]] std::string answer(ProcessNumber process, const ipc::AccessRequest& request);
    [[nodiscard]] std::string answer(ProcessNumber process, const ipc::BoxNote& note);
    [[nodiscard]] std::string answer(ProcessNumber process, const ipc::DenialsRequest& request);
    [[nodiscard]] std::string askForHost(ProcessNumber process, const ipc::AccessRequest& request);
    [[nodiscard]] std::string askForPath(ProcessNumber process, const ipc::AccessRequest& request);

    Parts m_parts;
};

} // namespace revet::session
