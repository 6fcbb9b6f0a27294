// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/journal/database.h"

#include "engine/base/unique_fd.h"
#include "engine/journal/sqlite_error.h"

#include <sqlite3.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace revet::journal {

namespace {

constexpr int kBusyMilliseconds = 5000;
constexpr int kCheckpointFrames = 2048; // 8 MiB of log
// Readers that follow each other closely keep the log from starting over; past 256 MiB the writer waits for
// the present ones, but not long: a stopped reader must not stop the record.
constexpr int kRestartFrames = 65536;
constexpr int kRestartMilliseconds = 20;
constexpr int kSwitchTries = 100;

Result<void> makeFile(const std::filesystem::path& file, int extraFlags, std::string_view content)
{
    // SQLite would create with 0644 less the umask; its log files copy the mode of this one.
    const UniqueFd created(
        ::open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | extraFlags, 0600));
    for (std::size_t done = 0; created && done < content.size();) {
        const ssize_t more = ::write(created.get(), content.data() + done, content.size() - done);
        if (more < 0 && errno != EINTR) {
            return failErrno("write " + file.string());
        }
        done += static_cast<std::size_t>(std::max<ssize_t>(more, 0));
    }
    if (created) {
        return {};
    }
    Error error = Error::fromErrno("open " + file.string());
    if (error.errnoValue == EROFS || error.errnoValue == EACCES) {
        error.context = "Revet must be able to write there; set XDG_DATA_HOME for another place";
    }
    if (error.errnoValue == EEXIST) {
        error.code = ErrorCode::Conflict;
    }
    return fail(std::move(error));
}

int afterCommit(void* /*unused*/, sqlite3* handle, const char* schema, int frames)
{
    if (frames >= kRestartFrames) {
        sqlite3_busy_timeout(handle, kRestartMilliseconds);
        // A busy reader only puts the checkpoint off.
        static_cast<void>(
            sqlite3_wal_checkpoint_v2(handle, schema, SQLITE_CHECKPOINT_RESTART, nullptr, nullptr));
        sqlite3_busy_timeout(handle, kBusyMilliseconds);
        return SQLITE_OK;
    }
    if (frames >= kCheckpointFrames) {
        const int status
            = sqlite3_wal_checkpoint_v2(handle, schema, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
        // Neither a reader nor a full disk harms what the log holds already.
        return status == SQLITE_BUSY || (status & 0xff) == SQLITE_FULL ? SQLITE_OK : status;
    }
    return SQLITE_OK;
}

} // namespace

void Database::Close::operator()(sqlite3* handle) const noexcept
{
    sqlite3_close_v2(handle);
}

Result<void> Database::createFile(const std::filesystem::path& file, std::string_view content)
{
    return makeFile(file, O_EXCL, content);
}

Result<Database> Database::open(const std::filesystem::path& file, Access access)
{
    // Its memory statistics take a lock at every allocation. Refused when SQLite is in use already: no
    // matter.
    static const int configured = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    static_cast<void>(configured);
    if (access == Access::CreateOrOpen) {
        REVET_RETURN_IF_ERROR(makeFile(file, 0, {}));
    }
    struct stat status = {};
    if (access == Access::ReadOnly && ::stat(file.c_str(), &status) != 0 && errno == ENOENT) {
        return fail(ErrorCode::NotFound, "open " + file.string());
    }
    const int flags = access == Access::ReadOnly ? SQLITE_OPEN_READONLY
        : access == Access::InMemory             ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY
                                                 : SQLITE_OPEN_READWRITE;
    sqlite3* handle = nullptr;
    const int opened = sqlite3_open_v2(access == Access::InMemory ? ":memory:" : file.c_str(), &handle,
                                       flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
    Database database(handle, file);
    if (opened != SQLITE_OK) {
        return fail(sqliteError(handle, opened, "open " + file.string()));
    }
    sqlite3_busy_timeout(handle, kBusyMilliseconds);
    // The file may have been tampered with: nothing in its schema may run code or crash the reader.
    sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    REVET_RETURN_IF_ERROR(database.execute("PRAGMA cell_size_check = ON"));
    REVET_RETURN_IF_ERROR(database.execute("PRAGMA temp_store = MEMORY"));
    if (access == Access::New) {
        REVET_RETURN_IF_ERROR(database.execute("PRAGMA synchronous = OFF"));
    }
    return database;
}

Result<void> Database::execute(const char* sql)
{
    const int status = sqlite3_exec(m_handle.get(), sql, nullptr, nullptr, nullptr);
    if (status != SQLITE_OK) {
        return fail(sqliteError(m_handle.get(), status, "use the database " + m_file.string()));
    }
    return {};
}

Result<Statement> Database::prepare(const std::string& sql)
{
    sqlite3_stmt* statement = nullptr;
    const int status = sqlite3_prepare_v3(m_handle.get(), sql.c_str(), static_cast<int>(sql.size()) + 1,
                                          SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    if (status != SQLITE_OK) {
        return fail(sqliteError(m_handle.get(), status, "use the database " + m_file.string()));
    }
    return Statement(statement);
}

Result<void> Database::useWal()
{
    Result<void> switched = execute("PRAGMA journal_mode = WAL");
    for (int i = 0; i < kSwitchTries && !switched && switched.error().code == ErrorCode::TimedOut; ++i) {
        // SQLite does not wait by itself when two processes switch a new file at once.
        std::this_thread::sleep_for(std::chrono::milliseconds(kRestartMilliseconds));
        switched = execute("PRAGMA journal_mode = WAL");
    }
    REVET_RETURN_IF_ERROR(switched);
    REVET_RETURN_IF_ERROR(execute("PRAGMA cache_size = -8192"));
    sqlite3_wal_hook(m_handle.get(), afterCommit, nullptr);
    return {};
}

Result<void> Database::syncLog()
{
    m_isFirst = logBytes() == 0;
    return execute(m_isFirst ? "PRAGMA synchronous = OFF" : "PRAGMA synchronous = NORMAL");
}

Result<void> Database::commit()
{
    REVET_RETURN_IF_ERROR(execute("COMMIT"));
    return std::exchange(m_isFirst, false) ? execute("PRAGMA synchronous = NORMAL") : Result<void>();
}

void Database::keepLogOnClose()
{
    sqlite3_db_config(m_handle.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
}

void Database::stopCheckpoints()
{
    sqlite3_wal_hook(m_handle.get(), nullptr, nullptr);
}

std::uintmax_t Database::logBytes() const
{
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(m_file.string() + "-wal", error);
    return error ? 0 : size;
}

Result<void> Database::checkpoint()
{
    if (std::exchange(m_isFirst, false)) { // else the log would be gone before what was in it is on the disk
        REVET_RETURN_IF_ERROR(execute("PRAGMA synchronous = NORMAL"));
    }
    // Readers may keep the log from being emptied; then the last of them does it.
    const auto run = [this](int mode) {
        const int status = sqlite3_wal_checkpoint_v2(m_handle.get(), nullptr, mode, nullptr, nullptr);
        return (status & 0xff) == SQLITE_BUSY ? SQLITE_OK : status;
    };
    sqlite3_busy_timeout(m_handle.get(), kRestartMilliseconds);
    // The first waits for the disk and lets others write meanwhile; the second then has nothing to wait for.
    int status = run(SQLITE_CHECKPOINT_PASSIVE);
    if (status == SQLITE_OK) {
        status = run(SQLITE_CHECKPOINT_TRUNCATE);
    }
    sqlite3_busy_timeout(m_handle.get(), kBusyMilliseconds);
    return status == SQLITE_OK ? Result<void>()
                               : fail(sqliteError(m_handle.get(), status, "checkpoint " + m_file.string()));
}

Result<std::int64_t> Database::singleInteger(const std::string& sql)
{
    REVET_ASSIGN_OR_RETURN(Statement statement, prepare(sql));
    REVET_ASSIGN_OR_RETURN(const bool row, statement.next());
    if (!row || !statement.isInteger(0)) {
        return fail(ErrorCode::Malformed, "read a number from " + m_file.string());
    }
    return statement.integer(0);
}

std::int64_t Database::changes() const
{
    return sqlite3_changes64(m_handle.get());
}

Result<void> inTransaction(Database& database, const std::function<Result<void>()>& body)
{
    REVET_RETURN_IF_ERROR(database.execute("BEGIN IMMEDIATE"));
    Result<void> result = body();
    if (result) {
        result = database.commit();
    }
    if (!result) {
        // SQLite may have rolled back by itself already; the first error is the one that counts.
        static_cast<void>(database.execute("ROLLBACK"));
    }
    return result;
}

Result<ReadSnapshot> ReadSnapshot::begin(Database& database)
{
    REVET_RETURN_IF_ERROR(database.execute("BEGIN"));
    return ReadSnapshot(database);
}

ReadSnapshot::ReadSnapshot(ReadSnapshot&& other) noexcept
    : m_database(std::exchange(other.m_database, nullptr))
{
}

ReadSnapshot::~ReadSnapshot()
{
    if (m_database != nullptr) {
        // Not rolled back: temporary tables that were filled meanwhile stay.
        static_cast<void>(m_database->execute("COMMIT"));
    }
}

} // namespace revet::journal
