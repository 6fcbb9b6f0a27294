// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/journal/statement.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>

struct sqlite3;

namespace revet::journal {

/// One SQLite connection. Belongs to one thread at a time.
class Database
{
public:
    enum class Access {
        New, ///< nothing of it is to last yet: nothing is synced until syncLog()
        CreateOrOpen, ///< mode 0600 when new
        ReadOnly,
        InMemory, ///< the path is ignored
    };
    [[nodiscard]] static Result<Database> open(const std::filesystem::path& file, Access access);
    /// For Access::New: a file that must not exist, mode 0600. `content`: the bytes of a database.
    [[nodiscard]] static Result<void> createFile(const std::filesystem::path& file,
                                                 std::string_view content = {});

    /// Runs constant SQL without parameters.
    [[nodiscard]] Result<void> execute(const char* sql);
    [[nodiscard]] Result<Statement> prepare(const std::string& sql);
    /// Switches to a write-ahead log that readers never wait for.
    [[nodiscard]] Result<void> useWal();
    /// From now on the log is synced when it starts over and at checkpoints only: a killed process loses
    /// nothing that was committed, a machine that loses power may lose the last seconds. The first
    /// transaction into an empty log, which no older one can be taken for, does not wait for the disk.
    [[nodiscard]] Result<void> syncLog();
    /// Leaves the log where it is when the last connection closes, so that a short-lived process does not
    /// wait for the disk at its end.
    void keepLogOnClose();
    [[nodiscard]] std::uintmax_t logBytes() const;
    /// From now on only the log grows, which may have its room already.
    void stopCheckpoints();
    /// Moves the log into the file and empties it; on the disk afterwards.
    [[nodiscard]] Result<void> checkpoint();
    [[nodiscard]] Result<void> commit();
    [[nodiscard]] Result<std::int64_t> singleInteger(const std::string& sql);
    [[nodiscard]] std::int64_t changes() const;
    [[nodiscard]] const std::filesystem::path& file() const { return m_file; }

private:
    struct Close
    {
        void operator()(sqlite3* handle) const noexcept;
    };
    Database(sqlite3* handle, std::filesystem::path file)
        : m_handle(handle)
        , m_file(std::move(file))
    {
    }
    std::unique_ptr<sqlite3, Close> m_handle;
    std::filesystem::path m_file;
    bool m_isFirst = false; ///< syncLog() takes effect with the next commit
};

/// Runs `body` in a write transaction that takes its lock at once, so that two processes queue instead of
/// failing half way. Rolled back when `body` or the commit fails.
[[nodiscard]] Result<void> inTransaction(Database& database, const std::function<Result<void>()>& body);

/// Holds one state of the database for several SELECTs.
class ReadSnapshot
{
public:
    [[nodiscard]] static Result<ReadSnapshot> begin(Database& database);
    ReadSnapshot(ReadSnapshot&& other) noexcept;
    ReadSnapshot& operator=(ReadSnapshot&&) = delete;
    ReadSnapshot(const ReadSnapshot&) = delete;
    ReadSnapshot& operator=(const ReadSnapshot&) = delete;
    ~ReadSnapshot();

private:
    explicit ReadSnapshot(Database& database)
        : m_database(&database)
    {
    }
    Database* m_database;
};

} // namespace revet::journal
