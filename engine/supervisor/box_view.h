// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/unique_fd.h"
#include "engine/domain/session_info.h"
#include "engine/domain/tier.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <sys/stat.h>

namespace revet::supervisor {

class GrantedPlaces;

/// A directory whose changes the supervisor judges.
struct Root
{
    enum class Kind {
        /// read-only in the box, writable through BoxView::outerRoot: every mutation is performed by us
        Brokered,
        Layered, ///< an overlay, writable in the box: only what overlayfs cannot do is performed by us
    };
    std::string path; ///< absolute, canonical, the same in the box and on the host
    Kind kind = Kind::Brokered;
    UniqueFd host; ///< O_PATH directory in the host's own mount namespace (pre-images, renames to a store)
    UniqueFd upper; ///< Layered: O_PATH directory of the overlay's upper layer
    UniqueFd lower; ///< Layered: O_PATH directory of the host's project, under the overlay
};

/// An open lock file of one of the roots (exclusive) or of a directory above one (shared).
struct TurnLock
{
    UniqueFd file;
    bool isExclusive = false;
};

/// A socket of ours that stands for one of the host. What is mounted there goes when the host puts another
/// file in that place: the path alone would then lead to the host's own.
struct RelayedSocket
{
    std::string path; ///< in the box
    dev_t device = 0;
    ino_t inode = 0;

    [[nodiscard]] bool is(std::string_view canonical, const struct stat& status) const
    {
        return path == canonical && device == status.st_dev && inode == status.st_ino;
    }
};

/// What the supervisor knows of one box; immutable once built, shared by all its threads.
struct BoxView
{
    Tier tier = Tier::Sandbox;
    ObserveLevel observe = ObserveLevel::Full;
    /// O_PATH "/" of the keeper's mount namespace: the same tree as the box's, brokered roots writable,
    /// no procfs. Every path of the box is resolved here.
    UniqueFd outerRoot;
    std::vector<Root> roots; ///< the project first
    /// Direct workspaces: the locks that sessions with the same or nested roots have in common (SharedTurn).
    std::vector<TurnLock> turns;
    /// An open file in which the path of a passing file is noted while it is there (fresh_file.h), or none.
    UniqueFd passingRecord;
    /// What else of the host's tree the box sees, read-only or not: toolchains, --bind-ro, --bind-rw, the
    /// system. A socket there that the box has not bound belongs to a program of the host.
    std::vector<std::string> hostPlaces;
    std::vector<RelayedSocket> relayedSockets;
    /// Where the session itself listens to its box; the same, or none.
    std::string ownSocket;
    /// What came to both while the box runs; or none.
    std::shared_ptr<const GrantedPlaces> granted;
    /// Hidden files and directories: the box sees something empty in their place, and cannot move that away.
    std::vector<std::string> masked;
    /// Directories that are the same in the box and on the host (/usr, the project): nothing below them is
    /// withheld.
    std::vector<std::string> sharedPrefixes;
};

} // namespace revet::supervisor
