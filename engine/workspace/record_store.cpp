// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/domain/places.h"
#include "engine/workspace/listing.h"
#include "engine/workspace/record.h"
#include "engine/workspace/tree_copy.h"

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
constexpr const char* kTold = "told";
constexpr const char* kUnfinished = "unfinished"; ///< either of the two while it is written
const std::string kObjects = "objects";
constexpr std::size_t kNameDigits = 6;
constexpr std::uint64_t kMaximumRecordBytes = std::uint64_t{1} << 30U;

UniqueFd openDirectoryAt(int directory, const std::string& name)
{
    return UniqueFd(::openat(directory, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
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

/// Of a record that is void: nothing that a person had is among them, so none is a directory that holds
/// something.
Result<void> removeSlots(const UniqueFd& above, const std::string& name)
{
    const UniqueFd objects = openDirectoryAt(above.get(), kObjects);
    if (!objects) {
        return errno == ENOENT ? Result<void>() : failErrno("open the objects of " + name);
    }
    REVET_ASSIGN_OR_RETURN(const std::vector<std::string> left, listDirectory(objects.get()));
    for (const std::string& object : left) {
        if (::unlinkat(objects.get(), object.c_str(), 0) != 0
            && (errno != EISDIR || ::unlinkat(objects.get(), object.c_str(), AT_REMOVEDIR) != 0)) {
            return failErrno("remove an object of " + name);
        }
    }
    return ::unlinkat(above.get(), kObjects.c_str(), AT_REMOVEDIR) == 0
        ? Result<void>()
        : failErrno("remove the objects of " + name);
}

bool isRecordName(const std::string& name)
{
    return name.size() == kNameDigits
        && std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
}

} // namespace

Result<RecordStore> RecordStore::open(const std::filesystem::path& directory, ObjectPlace objects)
{
    REVET_RETURN_IF_ERROR(makePrivateDirectory(directory));
    UniqueFd fd = openDirectoryAt(AT_FDCWD, directory);
    if (!fd) {
        return failErrno("open " + directory.string());
    }
    RecordStore store(std::move(fd), directory, std::move(objects));
    if (store.m_objects.kind == ObjectPlace::Kind::Beside) {
        REVET_RETURN_IF_ERROR(makePrivateDirectory(store.m_objects.directory));
        store.m_base = openDirectoryAt(AT_FDCWD, store.m_objects.directory);
        if (!store.m_base) {
            return failErrno("open " + store.m_objects.directory.string());
        }
    }
    return store;
}

bool RecordStore::isOwnSource(const std::string& source) const
{
    // Below the store, openParent() holds it.
    const std::filesystem::path path(source);
    return !path.is_absolute()
        || (!m_objects.preImages.empty() && path.parent_path() == m_objects.preImages
            && path == path.lexically_normal());
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
    UniqueFd record = openDirectoryAt(m_directory.get(), name);
    return record ? Result<UniqueFd>(std::move(record)) : failErrno("open the record " + name);
}

Result<UniqueFd> RecordStore::openObjects(const std::string& name) const
{
    if (m_objects.kind == ObjectPlace::Kind::Passing) {
        UniqueFd passing = openDirectoryAt(AT_FDCWD, m_objects.directory / name / kObjects);
        return passing ? Result<UniqueFd>(std::move(passing)) : failErrno("open the objects of " + name);
    }
    const UniqueFd record = openDirectoryAt(directory(), name);
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
    const std::filesystem::path& base
        = m_objects.kind == ObjectPlace::Kind::Here ? m_path : m_objects.directory;
    if (m_objects.kind == ObjectPlace::Kind::Passing) {
        REVET_RETURN_IF_ERROR(makePrivateDirectory(base.parent_path()));
        REVET_RETURN_IF_ERROR(makePrivateDirectory(base));
    }
    REVET_RETURN_IF_ERROR(makePrivateDirectory(base / name / kObjects));
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

bool RecordStore::isTold(const std::string& name) const
{
    return ::faccessat(m_directory.get(), (name + '/' + kTold).c_str(), F_OK, 0) == 0;
}

Result<void> RecordStore::noteTold(const std::string& name) const
{
    const UniqueFd file(::openat(m_directory.get(), (name + '/' + kTold).c_str(),
                                 O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
    return file ? Result<void>() : failErrno("note that " + name + " is in the log");
}

Result<void> RecordStore::settle(const std::string& name) const
{
    if (m_objects.kind != ObjectPlace::Kind::Passing) {
        return {};
    }
    const UniqueFd passing = openDirectoryAt(AT_FDCWD, m_objects.directory / name / kObjects);
    if (!passing) {
        return errno == ENOENT ? Result<void>() : failErrno("open the objects of " + name);
    }
    REVET_ASSIGN_OR_RETURN(const UniqueFd record, openRecord(name));
    if (const UniqueFd halfDone = openDirectoryAt(record.get(), kObjects)) {
        REVET_RETURN_IF_ERROR(removeEntry({record.get(), kObjects}));
    }
    REVET_RETURN_IF_ERROR(makePrivateDirectory(m_path / name / kObjects));
    const UniqueFd kept = openDirectoryAt(record.get(), kObjects);
    if (!kept) {
        return failErrno("keep the objects of " + name);
    }
    REVET_ASSIGN_OR_RETURN(const std::vector<std::string> objects, listDirectory(passing.get()));
    for (const std::string& object : objects) {
        REVET_RETURN_IF_ERROR(copyTree({passing.get(), object}, {kept.get(), object}));
    }
    if (::syncfs(kept.get()) != 0) {
        return failErrno("write to the disk");
    }
    return removeObjects(name);
}

/// From where they are not beside the record, and the directories that they were alone in.
Result<void> RecordStore::removeObjects(const std::string& name) const
{
    const UniqueFd base = openDirectoryAt(AT_FDCWD, m_objects.directory);
    if (!base) {
        return errno == ENOENT ? Result<void>() : failErrno("open " + m_objects.directory.string());
    }
    if (const UniqueFd objects = openDirectoryAt(base.get(), name)) {
        REVET_RETURN_IF_ERROR(removeEntry({base.get(), name}));
    }
    if (m_objects.kind == ObjectPlace::Kind::Passing && ::rmdir(m_objects.directory.c_str()) == 0) {
        ::rmdir(m_objects.directory.parent_path().c_str()); // where it was the last
    }
    return {};
}

Result<void> RecordStore::replace(const Record& record) const
{
    REVET_RETURN_IF_ERROR(write(record));
    if (m_objects.kind == ObjectPlace::Kind::Passing) {
        return removeObjects(record.name);
    }
    const UniqueFd above = openDirectoryAt(directory(), record.name);
    return above ? removeSlots(above, record.name) : failErrno("open the record " + record.name);
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
    if (m_objects.kind == ObjectPlace::Kind::Passing) {
        REVET_RETURN_IF_ERROR(removeObjects(name));
    } else if (const UniqueFd above = openDirectoryAt(this->directory(), name)) {
        REVET_RETURN_IF_ERROR(removeSlots(above, name));
        if (m_objects.kind == ObjectPlace::Kind::Beside
            && ::unlinkat(this->directory(), name.c_str(), AT_REMOVEDIR) != 0) {
            return failErrno("remove the objects of " + name);
        }
    }
    return ::unlinkat(m_directory.get(), name.c_str(), AT_REMOVEDIR) == 0
        ? Result<void>()
        : failErrno("remove the record " + name);
}

} // namespace revet::workspace
