// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/workspace/attributes.h"
#include "engine/workspace/entry.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace revet::workspace {

/// One line of a manifest: what is about to happen to one path of a tree, and what was there. The manifest is
/// a log that only grows. A record is written by one write(2) *before* the act that it tells of; an act that
/// then failed is followed by Void. Who replays the log from its start (BeforeTree) knows
/// the tree as it was, whatever was renamed in between.
///
/// Not in the log, because it does not change what the tree was before: what happens below a directory that
/// is Born, to a file that is Born, or at a path of which the log already says that nothing of the tree
/// before is there. (Renames of directories are always told.)
///
/// Paths are relative to the root, "" is the root itself, and they are the box's bytes: hostile.
struct PreImageRecord
{
    /// On disk; append only.
    enum class Kind : std::uint8_t {
        Root = 1, ///< first of all. path: the root, other: the directory of the contents, both absolute
        Saved = 2, ///< what is at path is about to be changed in place: content, mode, times, its entries …
        Removed = 3, ///< what is at path is about to go, or to be replaced by the Moved that follows
        Born = 4, ///< at path, where nothing is, something is about to be made
        Linked = 5, ///< the same: a further name of the file at `other`
        Moved = 6, ///< path is about to become `other`; entry is what moves
        Exchanged = 7, ///< path and `other` are about to change places; entry is what is at path
        Void = 8, ///< the last `object` records before this one did not happen
        /// At the end: what the session left at path; attributes only where those of before are known, a note
        /// where nothing is told of what a directory holds. Paths without Left are left Absent.
        Left = 9,
        Sealed = 10, ///< the last one: every Left is there
    };
    /// Where the content of a file is.
    enum class Content : std::uint8_t {
        None = 0, ///< nothing was kept, and need not be: no file, or its content does not change
        Copied = 1, ///< object `object`, with the file's mode, times and attributes
        Kept = 2, ///< object `object` is the file itself, the same inode: rename or link it back
        Lost = 3, ///< it could not or should not be kept; `note` says why
    };
    Kind kind = Kind::Void;
    std::string path;
    std::string other;
    Entry entry; ///< as it was before
    std::vector<Attribute> attributes; ///< as they were before, Kept or not
    Content content = Content::None;
    std::uint64_t object = 0; ///< several records may name one: hard links
    std::string note;
};

/// Length, checksum, body.
[[nodiscard]] std::string encode(const PreImageRecord& record);
/// All whole records of a manifest. A torn tail (a crash within the last write) is void and left out;
/// anything else that does not decode fails. Applies Void: neither it nor what it takes back is in the
/// result.
/// `length`: how many bytes are not torn.
[[nodiscard]] Result<std::vector<PreImageRecord>> decodeManifest(std::string_view bytes,
                                                                 std::size_t* length = nullptr);

/// A manifest as it lies on disk: directory/manifest, read and checked. `root` and `objects` are of its first
/// record.
struct PreImages
{
    std::filesystem::path root; ///< of the tree
    Entry rootBefore; ///< device and inode: whether it is still the same tree
    /// Directory of the contents, often on another file system than the manifest.
    std::filesystem::path objects;
    std::vector<PreImageRecord> records; ///< without the first
    bool isSealed = false; ///< else its session lives or was killed
    std::size_t length = 0; ///< of the manifest without a torn tail, in bytes
    std::size_t unhappened = 0; ///< how many acts at its end have been left out
};
/// NotFound where there is no manifest. If it is not sealed, the last act may not have happened: it is
/// looked at in the tree, and left out where it did not.
[[nodiscard]] Result<PreImages> readPreImages(const std::filesystem::path& directory);
/// Of a manifest, only where its contents are; NotFound without a manifest.
[[nodiscard]] Result<std::filesystem::path> readObjectsPlace(const std::filesystem::path& directory);
/// The name of an object in PreImages::objects.
[[nodiscard]] std::string objectName(std::uint64_t object);

/// A session's manifests: <session directory>/pre-images/<n>, n = 0 for the project, then its side roots.
[[nodiscard]] std::filesystem::path preImagesDirectory(const std::filesystem::path& sessionDirectory,
                                                       std::size_t root);

} // namespace revet::workspace
