// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/policy/run_later.h"
#include "engine/supervisor/box_view.h"
#include "engine/supervisor/call.h"
#include "engine/supervisor/crossings.h"
#include "engine/supervisor/fact_sink.h"
#include "engine/supervisor/network_watch.h"
#include "engine/supervisor/pre_image_sink.h"
#include "engine/supervisor/target.h"

#include <memory>

namespace revet::supervisor {

/// Performs the path calls of one box (DESIGN.md 4.4, "read-only view, brokered writes"). Every mutation of a
/// brokered root is performed here, through the outer root, on the objects that were judged; whatever is left
/// to the kernel meets the box's read-only view. One for a box, shared by its supervisor threads: calls take
/// turns, so that no other call changes what one has judged. A calling thread loses the process's umask and
/// working directory (unshare(CLONE_FS)).
class PathBroker
{
public:
    /// All of them outlive the broker. `preImages` may be left out: nothing is kept; and `network`: there is
    /// none; and `crossings`: nobody is asked.
    PathBroker(const BoxView& box, const policy::RunLaterTable& runLater, FactSink& facts,
               PreImageSink* preImages = nullptr, NetworkWatch* network = nullptr,
               Crossings* crossings = nullptr);
    ~PathBroker();
    PathBroker(const PathBroker&) = delete;
    PathBroker& operator=(const PathBroker&) = delete;
    PathBroker(PathBroker&&) = delete;
    PathBroker& operator=(PathBroker&&) = delete;

    [[nodiscard]] Answer perform(const Call& call, Target& target);
    /// A call for which perform() had no answer is not tried again.
    void forget(std::uint64_t notification);
    /// Judges and puts in place the small git files that have been closed since. Also done by perform();
    /// to be called where a process starts or ends, so that a new program sees them.
    void settle();

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace revet::supervisor
