// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/os/seccomp_notify.h"
#include "engine/policy/run_later.h"
#include "engine/supervisor/box_view.h"
#include "engine/supervisor/crossings.h"
#include "engine/supervisor/fact_sink.h"
#include "engine/supervisor/network_watch.h"
#include "engine/supervisor/pre_image_sink.h"

#include <memory>

namespace revet::supervisor {

/// Answers the calls for which a box's processes wait (ARCHITECTURE.md, "the life of one notification"):
/// mutations of the roots are performed by the broker, everything else is recorded and left to the kernel,
/// whose mounts and namespaces hold whatever the arguments have become meanwhile. An error of its own is a
/// refusal and a fact, never a permission. Thread-safe.
class Supervisor
{
public:
    struct Dependencies
    {
        FactSink& facts; ///< outlives the supervisor; called on every serving thread
        const policy::RunLaterTable& runLater; ///< outlives the supervisor
        PreImageSink* preImages = nullptr; ///< outlives the supervisor; none: nothing is kept
        NetworkWatch* network = nullptr; ///< outlives the supervisor; none: the box has its loopback only
        Crossings* crossings = nullptr; ///< outlives the supervisor; none: nobody is asked
    };

    Supervisor(BoxView box, const Dependencies& dependencies);
    ~Supervisor();
    Supervisor(const Supervisor&) = delete;
    Supervisor& operator=(const Supervisor&) = delete;
    Supervisor(Supervisor&&) = delete;
    Supervisor& operator=(Supervisor&&) = delete;

    /// Blocks the calling thread until no process with the device's filter is left; one thread for each
    /// listener, of which it takes its own umask and working directory (unshare(CLONE_FS)). An error: the
    /// device failed, so the box must end. Closing the device makes the kernel refuse what still comes
    /// (ENOSYS).
    [[nodiscard]] Result<void> serve(os::NotifyDevice& device);
    /// Something has been mounted in the box, or taken away: what was known of its paths is out of date.
    void treeChanged();

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace revet::supervisor
