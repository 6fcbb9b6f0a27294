// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"
#include "engine/workspace/step.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace revet::workspace {

/// What a transaction was for. The numbers are on disk: append only.
enum class Purpose : std::uint8_t { Apply = 0, Discard = 1, Undo = 2 };
inline constexpr std::uint8_t kPurposeCount = 3;

/// A transaction as its record tells it.
struct Record
{
    std::string name; ///< of its directory
    Purpose purpose = Purpose::Apply;
    std::int64_t time = 0; ///< nanoseconds since 1970
    std::string undoes; ///< Undo: what, by the name of a record; empty for the session's own changes
    std::vector<Step> steps;
    bool isDone = false;
};

/// Total; any other bytes fail as Malformed.
[[nodiscard]] std::string encodeRecord(const Record& record);
[[nodiscard]] Result<Record> decodeRecord(std::string_view bytes);

/// Where the objects of records lie. What is renamed must be on the tree's own mount; what is decided by must
/// be where no box can write.
struct ObjectPlace
{
    enum class Kind : std::uint8_t {
        Here, ///< beside the records
        Beside, ///< in `directory`, which is on the tree's mount
        /// There as well, but only while a transaction is done: then they are copied to the records, since it
        /// is in the tree.
        Passing,
    };
    Kind kind = Kind::Here;
    std::filesystem::path directory;
    /// The only directory outside of the store that a step may take an object from: that of the session's
    /// pre-images. Empty: none.
    std::filesystem::path preImages;
};

/// Records of transactions on one tree, each a directory with
///   intents    the steps, before the first is done
///   done       the same once all of them are: the commit point is the rename to this name
///   objects/   slots: first what is to come, in the end what was there; see ObjectPlace
///   told       empty: the session's journal tells of it
/// The store lies in Revet's data directory, where nobody else writes.
class RecordStore
{
public:
    /// Makes the directory (0700) and what is missing above it.
    [[nodiscard]] static Result<RecordStore> open(const std::filesystem::path& directory,
                                                  ObjectPlace objects = {});

    /// What relative sources of steps are below: it holds the objects of what is done.
    [[nodiscard]] int directory() const { return m_base.isOpen() ? m_base.get() : m_directory.get(); }
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    /// Whether what directory() holds is not on the tree's mount.
    [[nodiscard]] bool isFar() const { return m_objects.kind == ObjectPlace::Kind::Passing; }
    /// Whether a step of a record may take an object from there.
    [[nodiscard]] bool isOwnSource(const std::string& source) const;
    /// Waits until nobody else is at it. Held as long as the descriptor lives.
    [[nodiscard]] Result<UniqueFd> lock() const;

    /// Oldest first.
    [[nodiscard]] Result<std::vector<std::string>> names() const;
    /// Those that are done, oldest first.
    [[nodiscard]] Result<std::vector<Record>> records() const;
    [[nodiscard]] Result<Record> read(const std::string& name) const;
    /// Of a record that is not done yet.
    [[nodiscard]] Result<UniqueFd> openObjects(const std::string& name) const;

    // For transactions, under the lock.
    /// Makes an empty record with a name that sorts after all others.
    [[nodiscard]] Result<std::string> add() const;
    [[nodiscard]] Result<void> write(const Record& record) const;
    /// Brings the objects of a record that is done to where they stay.
    [[nodiscard]] Result<void> settle(const std::string& name) const;
    [[nodiscard]] bool isTold(const std::string& name) const;
    [[nodiscard]] Result<void> noteTold(const std::string& name) const;
    /// Puts a record that is done in the place of one that is void, whose objects go.
    [[nodiscard]] Result<void> replace(const Record& record) const;
    /// Removes a record whose objects are files, links and empty directories.
    [[nodiscard]] Result<void> remove(const std::string& name) const;

private:
    RecordStore(UniqueFd directory, std::filesystem::path path, ObjectPlace objects)
        : m_directory(std::move(directory))
        , m_path(std::move(path))
        , m_objects(std::move(objects))
    {
    }
    [[nodiscard]] Result<UniqueFd> openRecord(const std::string& name) const;
    [[nodiscard]] Result<void> removeObjects(const std::string& name) const;

    UniqueFd m_directory;
    std::filesystem::path m_path;
    ObjectPlace m_objects;
    UniqueFd m_base; ///< Beside: of m_objects.directory
};

} // namespace revet::workspace
