// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/domain/places.h"
#include "engine/workspace/listing.h"
#include "engine/workspace/record.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace revet::workspace {

namespace {

constexpr const char* kIntents = "intents";
constexpr const char* kDone = "done";
constexpr const char* kUnfinished = "unfinished"; ///< either of the two while it is written
constexpr const char* kObjects = "objects";
constexpr std::size_t kNameDigits = 6;
constexpr std::uint64_t kMaximumRecordBytes = std::uint64_t{1} << 30U;

UniqueFd openDirectoryAt(int directory, const char* name)
{
    return UniqueFd(::openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

Result<std::string> readWhole(const UniqueFd& file)
{
    struct stat info = {};
    if (::fstat(file.get(), &info) != 0) {
        return failErrno("read a record");
    }
    if (static_cast<std::uint64_t>(info.st_size) > kMaximumRecordBytes) {
        return fail(ErrorCode::LimitExceeded, "read a record");
    }
    std::string bytes(static_cast<std::size_t>(info.st_size), '\0');
    std::size_t size = 0;
    while (size < bytes.size()) {
        const ssize_t got = ::read(file.get(), bytes.data() + size, bytes.size() - size);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return failErrno("read a record");
        }
        size += static_cast<std::size_t>(got);
    }
    return bytes;
}

Result<void> writeWhole(const UniqueFd& file, std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
        if (written < 0 && errno != EINTR) {
            return failErrno("write a record");
        }
        bytes.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
    }
    return ::fsync(file.get()) == 0 ? Result<void>() : failErrno("write a record");
}

bool isRecordName(const std::string& name)
{
    return name.size() == kNameDigits
        && std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
}

} // namespace

Result<RecordStore> RecordStore::open(const std::filesystem::path& directory)
{
    REVET_RETURN_IF_ERROR(makePrivateDirectory(directory));
    UniqueFd fd = openDirectoryAt(AT_FDCWD, directory.c_str());
    if (!fd) {
        return failErrno("open " + directory.string());
    }
    return RecordStore(std::move(fd), directory);
}

Result<UniqueFd> RecordStore::lock() const
{
    // An open file of its own: a lock belongs to that, not to the process.
    UniqueFd fd = openDirectoryAt(m_directory.get(), ".");
    if (!fd) {
        return failErrno("lock " + m_path.string());
    }
    while (::flock(fd.get(), LOCK_EX) != 0) {
        if (errno != EINTR) {
            return failErrno("lock " + m_path.string());
        }
    }
    return fd;
}

Result<std::vector<std::string>> RecordStore::names() const
{
    REVET_ASSIGN_OR_RETURN(std::vector<std::string> names, listDirectory(m_directory.get()));
    std::erase_if(names, [](const std::string& name) { return !isRecordName(name); });
    std::ranges::sort(names);
    return names;
}

Result<std::vector<Record>> RecordStore::records() const
{
    REVET_ASSIGN_OR_RETURN(const std::vector<std::string> all, names());
    std::vector<Record> done;
    for (const std::string& name : all) {
        REVET_ASSIGN_OR_RETURN(Record record, read(name));
        if (record.isDone) {
            done.push_back(std::move(record));
        }
    }
    return done;
}

Result<UniqueFd> RecordStore::openRecord(const std::string& name) const
{
    UniqueFd record = openDirectoryAt(m_directory.get(), name.c_str());
    return record ? Result<UniqueFd>(std::move(record)) : failErrno("open the record " + name);
}

Result<UniqueFd> RecordStore::openObjects(const std::string& name) const
{
    REVET_ASSIGN_OR_RETURN(const UniqueFd record, openRecord(name));
    UniqueFd objects = openDirectoryAt(record.get(), kObjects);
    return objects ? Result<UniqueFd>(std::move(objects)) : failErrno("open the objects of " + name);
}

Result<Record> RecordStore::read(const std::string& name) const
{
    REVET_ASSIGN_OR_RETURN(const UniqueFd directory, openRecord(name));
    const char* part = kDone;
    UniqueFd file(::openat(directory.get(), part, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (!file && errno == ENOENT) {
        part = kIntents;
        file.reset(::openat(directory.get(), part, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    }
    if (!file && errno == ENOENT) {
        Record unstarted;
        unstarted.name = name;
        return unstarted;
    }
    if (!file) {
        return failErrno("open the record " + name);
    }
    REVET_ASSIGN_OR_RETURN(const std::string bytes, readWhole(file));
    REVET_ASSIGN_OR_RETURN(Record record, decodeRecord(bytes));
    record.name = name;
    record.isDone = part == kDone;
    return record;
}

Result<std::string> RecordStore::add() const
{
    REVET_ASSIGN_OR_RETURN(const std::vector<std::string> all, names());
    const std::string number = all.empty() ? "1" : std::to_string(std::stoul(all.back()) + 1);
    if (number.size() > kNameDigits) {
        return fail(ErrorCode::LimitExceeded, "begin a record in " + m_path.string());
    }
    const std::string name = std::string(kNameDigits - number.size(), '0') + number;
    if (::mkdirat(m_directory.get(), name.c_str(), S_IRWXU) != 0) {
        return failErrno("begin a record in " + m_path.string());
    }
    REVET_ASSIGN_OR_RETURN(const UniqueFd directory, openRecord(name));
    if (::mkdirat(directory.get(), kObjects, S_IRWXU) != 0) {
        return failErrno("begin the record " + name);
    }
    return name;
}

Result<void> RecordStore::write(const Record& record) const
{
    REVET_ASSIGN_OR_RETURN(const UniqueFd directory, openRecord(record.name));
    const UniqueFd file(::openat(directory.get(), kUnfinished,
                                 O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (!file) {
        return failErrno("write the record " + record.name);
    }
    REVET_RETURN_IF_ERROR(writeWhole(file, encodeRecord(record)));
    if (::renameat(directory.get(), kUnfinished, directory.get(), record.isDone ? kDone : kIntents) != 0
        || ::fsync(directory.get()) != 0 || ::fsync(m_directory.get()) != 0) {
        return failErrno("write the record " + record.name);
    }
    return {};
}

Result<void> RecordStore::remove(const std::string& name) const
{
    REVET_ASSIGN_OR_RETURN(const UniqueFd directory, openRecord(name));
    // The intents go first: what is left without them is void.
    for (const char* const part : {kIntents, kDone, kUnfinished}) {
        if (::unlinkat(directory.get(), part, 0) != 0 && errno != ENOENT) {
            return failErrno("remove the record " + name);
        }
    }
    const UniqueFd objects = openDirectoryAt(directory.get(), kObjects);
    if (objects) {
        REVET_ASSIGN_OR_RETURN(const std::vector<std::string> left, listDirectory(objects.get()));
        for (const std::string& object : left) {
            if (::unlinkat(objects.get(), object.c_str(), 0) != 0
                && (errno != EISDIR || ::unlinkat(objects.get(), object.c_str(), AT_REMOVEDIR) != 0)) {
                return failErrno("remove an object of " + name);
            }
        }
    }
    if ((objects && ::unlinkat(directory.get(), kObjects, AT_REMOVEDIR) != 0)
        || ::unlinkat(m_directory.get(), name.c_str(), AT_REMOVEDIR) != 0) {
        return failErrno("remove the record " + name);
    }
    return {};
}

} // namespace revet::workspace
