// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "engine/base/unique_fd.h"
#include "engine/session/keeper_errands.h"
#include "engine/session/recorder.h"
#include "engine/tiers/box_spec.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace revet::session {

/// Keeps hidden what was hidden when the box began. What the kernel has mounted over a file goes when the
/// host puts another file in its place, as an editor does that saves, or removes it. One thread.
class MaskKeeper
{
public:
    /// What is borrowed outlives this.
    struct Parts
    {
        const Clock& clock;
        Recorder& recorder;
        KeeperErrands& errands;
        std::function<void()> treeChanged;
        UniqueFd root; ///< O_PATH, of the box's tree
        pid_t keeper = -1;
    };
    [[nodiscard]] static Result<MaskKeeper> create(const tiers::BoxSpec& spec, Parts parts);

    /// POLLPRI: something was mounted, or has gone.
    [[nodiscard]] int fd() const { return m_mounts.get(); }
    void check();
    /// Readable: something has come near a hidden place where nothing was, which changes no mount. -1: none
    /// is so.
    [[nodiscard]] int watchFd() const { return m_watch.get(); }
    /// When to look again anyway: not all that comes can be watched.
    [[nodiscard]] std::optional<SteadyTime> next() const { return m_next; }
    void checkMissing();

private:
    MaskKeeper(std::vector<std::string> masked, launcher::Errand file, launcher::Errand directory,
               UniqueFd mounts, Parts parts)
        : m_masked(std::move(masked))
        , m_file(std::move(file))
        , m_directory(std::move(directory))
        , m_mounts(std::move(mounts))
        , m_parts(std::move(parts))
    {
    }
    /// False: look again.
    [[nodiscard]] bool hide(const std::string& path);
    [[nodiscard]] UniqueFd find(const std::string& path, int flags) const;
    void watchFor(const std::string& path);
    [[nodiscard]] bool cover(const std::string& path, bool isDirectory);

    std::vector<std::string> m_masked;
    launcher::Errand m_file; ///< without a target
    launcher::Errand m_directory;
    UniqueFd m_mounts; ///< the keeper's mountinfo
    Parts m_parts;
    std::map<std::string, int> m_tries; ///< in vain, by path
    std::vector<std::string> m_missing;
    UniqueFd m_watch; ///< inotify, of the directories nearest to those
    std::chrono::milliseconds m_pause{};
    std::optional<SteadyTime> m_next;
};

} // namespace revet::session
