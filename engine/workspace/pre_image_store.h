// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/workspace/known_files.h"
#include "engine/workspace/manifest_writer.h"
#include "engine/workspace/object_store.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>

namespace revet::workspace {

/// What the store says to an act.
struct Kept
{
    bool isTakenAway = false; ///< the store has moved the entry away itself: the act is done
    int failure = 0; ///< errno with which the kernel refused that
    bool existedBefore = false; ///< what the act is about
    std::string uncovered; ///< why the content could not be kept; empty: it was, or needs not be
};

/// Keeps what acts on a tree are about to destroy. Each function is called just before the act that it is
/// about, except where it says so; an error means that the act must not happen. Not thread-safe.
class PreImageStore
{
public:
    struct Setup
    {
        std::string root; ///< absolute
        std::filesystem::path manifest; ///< directory, exists
        std::filesystem::path objects; ///< directory, exists
        bool canTake = false; ///< objects lies on the root's own mount: entries can be renamed into it
        PreImageLimits limits;
        /// Whether a path holds what a build makes anew: not copied, and only its top is looked at in the
        /// end.
        std::function<bool(std::string_view)> isBuildOutput = [](std::string_view) { return false; };
    };
    [[nodiscard]] static Result<PreImageStore> create(Setup setup);

    /// A new entry is about to be made.
    [[nodiscard]] Result<void> creating(const Spot& spot);
    /// It has been made.
    [[nodiscard]] Result<void> created(const Spot& spot);
    /// A further name of the file `of`, which is open as `file`, is about to be made.
    [[nodiscard]] Result<void> linking(const Spot& spot, const std::string& of, int file,
                                       const struct stat& status);
    /// It has been made.
    [[nodiscard]] Result<void> linked(const Spot& spot);
    /// The file is about to be opened for writing, or truncated.
    [[nodiscard]] Result<Kept> writing(const Spot& spot, const struct stat& status);
    /// Mode, owner, times or attributes are about to be changed. `spot` with an empty name: of the directory.
    [[nodiscard]] Result<void> changing(const Spot& spot, const struct stat& status);
    /// The entry, no directory, is about to be removed.
    [[nodiscard]] Result<Kept> removing(const Spot& spot, const struct stat& status);
    [[nodiscard]] Result<Kept> removingDirectory(const Spot& spot, const struct stat& status);
    /// What is at `spot` is about to be replaced by a fresh file; created() follows.
    [[nodiscard]] Result<Kept> replacing(const Spot& spot, const struct stat& status);
    /// `replaced`: what is at `to`, if anything.
    [[nodiscard]] Result<Kept> renaming(const Spot& from, const struct stat& status, const Spot& to,
                                        const struct stat* replaced);
    [[nodiscard]] Result<void> exchanging(const Spot& one, const struct stat& status, const Spot& other,
                                          const struct stat& otherStatus);
    /// The act of the last call failed.
    [[nodiscard]] Result<void> failed();
    /// No more acts: notes what is left at every path that was touched.
    [[nodiscard]] Result<void> seal();
    /// After seal(): what was kept outlives a power cut from here on.
    [[nodiscard]] Result<void> sync();

    /// Whether what is at `spot` was made through this store.
    [[nodiscard]] bool isBorn(const Spot& spot, const struct stat& status);
    /// Where the file was that was moved into the store; of the first ones, and null of all others.
    [[nodiscard]] const std::string* takenFrom(const struct stat& status) const;
    [[nodiscard]] const Setup& setup() const { return m_setup; }

private:
    using Known = KnownFiles::Known;
    using Content = PreImageRecord::Content;

    PreImageStore(Setup setup, ManifestWriter manifest, ObjectStore objects);
    /// Begins an act within the directory of `spot`.
    [[nodiscard]] Result<void> begin(const Spot& spot);
    /// Saves the directory of `spot`, whose times are about to change. Whether that is born.
    [[nodiscard]] Result<bool> touch(const Spot& spot);
    [[nodiscard]] Result<void> appendAct(const PreImageRecord& record);
    /// Tells of what is about to be made at `spot`.
    [[nodiscard]] Result<void> announce(PreImageRecord::Kind kind, const Spot& spot, std::string of = {});
    /// It has been made there.
    [[nodiscard]] Result<void> confirm(const Spot& spot);
    /// `file`: it, where it is open anyway.
    [[nodiscard]] Result<PreImageRecord> describe(PreImageRecord::Kind kind, const Spot& spot,
                                                  const struct stat& status, const UniqueFd& file = {});
    /// Sets where the content of `record` is: where it has been, or in a copy.
    [[nodiscard]] Result<void> keepContent(PreImageRecord& record, const Spot& spot,
                                           const struct stat& status);
    /// Records that what is at `spot` is replaced, and links or copies it.
    [[nodiscard]] Result<Kept> keepReplaced(const Spot& spot, const struct stat& status);
    [[nodiscard]] Result<Kept> take(PreImageRecord record, const Spot& spot, const struct stat& status);
    [[nodiscard]] bool isSettled(const std::string& path) const { return m_settled.contains(path); }
    void settle(const std::string& path);
    void unsettle();
    /// Fails where the list of changes may not grow.
    [[nodiscard]] Result<void> findRoom() const;
    [[nodiscard]] Result<void> tell(const PreImageRecord& record, const Spot& spot,
                                    const struct stat& status);

    Setup m_setup;
    ManifestWriter m_manifest;
    ObjectStore m_objects;
    KnownFiles m_known;
    /// Paths of which the log says that nothing of the tree before is there. Only spares records.
    std::unordered_set<std::string> m_settled;
    std::size_t m_settledBytes = 0;
    std::map<std::pair<dev_t, ino_t>, std::string> m_taken; ///< their paths
    std::optional<struct stat> m_told; ///< what the last act was the first to record
    bool m_isParentBorn = false; ///< of the last begin()
    std::uint64_t m_actRecords = 0; ///< of the last act, to take back
    /// What the last act would make if what was there went meanwhile.
    std::optional<PreImageRecord> m_unannounced;
    bool m_isWorthSyncing = false;
    /// A file that the last act has linked into the store.
    struct Linked
    {
        std::uint64_t object = 0;
        struct stat status
        {
        };
        std::optional<Known> before; ///< what was known of it
    };
    std::optional<Linked> m_linked;
};

} // namespace revet::workspace
