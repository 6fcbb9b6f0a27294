// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/pre_image_record.h"

#include "engine/base/bytes.h"
#include "engine/workspace/entry_wire.h"
#include "engine/workspace/file_content.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace revet::workspace {

namespace {

using Kind = PreImageRecord::Kind;

constexpr std::size_t kMaximumPathBytes = 65536; // a tree can be deeper than PATH_MAX
constexpr std::size_t kMaximumValue = 65536; // XATTR_SIZE_MAX
constexpr std::size_t kMaximumName = 255;
constexpr std::size_t kMaximumNote = 4096;
constexpr std::size_t kMaximumManifest = std::size_t{1} << 30U;
constexpr std::size_t kFrame = 2 * sizeof(std::uint32_t);

/// FNV-1a: against a torn write, not against a person.
std::uint32_t checksum(std::string_view bytes)
{
    std::uint32_t sum = 0x811c9dc5U;
    for (const char byte : bytes) {
        sum = (sum ^ static_cast<unsigned char>(byte)) * 0x01000193U;
    }
    return sum;
}

/// No "..", no empty part, nothing absolute: whoever wrote the manifest, a path stays below its root.
bool isRelative(std::string_view path)
{
    while (!path.empty()) {
        const std::size_t slash = std::min(path.find('/'), path.size());
        const std::string_view part = path.substr(0, slash);
        if (part.empty() || part == "." || part == ".." || path.ends_with('/')
            || part.find('\0') != std::string_view::npos) {
            return false;
        }
        path.remove_prefix(std::min(slash + 1, path.size()));
    }
    return true;
}

Result<PreImageRecord> decodeRecord(std::string_view body)
{
    ByteReader reader(body);
    PreImageRecord record;
    REVET_ASSIGN_OR_RETURN(const auto kind, reader.number<std::uint8_t>());
    REVET_ASSIGN_OR_RETURN(const auto content, reader.number<std::uint8_t>());
    if (kind < 1 || kind > static_cast<std::uint8_t>(Kind::Sealed)
        || content > static_cast<std::uint8_t>(PreImageRecord::Content::Lost)) {
        return fail(ErrorCode::Malformed, "read the kind of a pre-image");
    }
    record.kind = static_cast<Kind>(kind);
    record.content = static_cast<PreImageRecord::Content>(content);
    REVET_ASSIGN_OR_RETURN(record.object, reader.number<std::uint64_t>());
    REVET_ASSIGN_OR_RETURN(record.path, reader.string(kMaximumPathBytes));
    REVET_ASSIGN_OR_RETURN(record.other, reader.string(kMaximumPathBytes));
    REVET_ASSIGN_OR_RETURN(record.entry, readEntry(reader));
    REVET_ASSIGN_OR_RETURN(record.note, reader.string(kMaximumNote));
    while (!reader.atEnd()) {
        Attribute attribute;
        REVET_ASSIGN_OR_RETURN(attribute.name, reader.string(kMaximumName));
        REVET_ASSIGN_OR_RETURN(attribute.value, reader.string(kMaximumValue));
        record.attributes.push_back(std::move(attribute));
    }
    if (record.kind != Kind::Root && (!isRelative(record.path) || !isRelative(record.other))) {
        return fail(ErrorCode::Malformed, "read the path of a pre-image", "it leads out of its tree");
    }
    return record;
}

Result<std::string> readManifest(const std::filesystem::path& path)
{
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    struct stat info = {};
    if (!file || ::fstat(file.get(), &info) != 0) {
        return errno == ENOENT ? fail(ErrorCode::NotFound, "read " + path.string(), "nothing was kept")
                               : failErrno("read " + path.string());
    }
    if (!S_ISREG(info.st_mode) || static_cast<std::uint64_t>(info.st_size) > kMaximumManifest) {
        return fail(ErrorCode::LimitExceeded, "read " + path.string());
    }
    return readContent(file, kMaximumManifest);
}

bool makesOnly(Kind kind)
{
    return kind == Kind::Born || kind == Kind::Linked;
}

bool takesAway(Kind kind)
{
    return kind == Kind::Moved || kind == Kind::Exchanged || kind == Kind::Removed;
}

/// Whether the act that an intent tells of has happened, by what is in the tree.
Result<bool> hasHappened(const PreImages& images, const PreImageRecord& intent)
{
    const UniqueFd root(::open(images.root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!root) {
        return failErrno("open " + images.root.string());
    }
    REVET_ASSIGN_OR_RETURN(const Entry present, lookAt(root.get(), intent.path));
    if (makesOnly(intent.kind)) {
        return present.exists();
    }
    // A number is given to another file once its file is gone; what is in the store is not.
    const bool isThere = intent.content == PreImageRecord::Content::Kept
        ? present.device == intent.entry.device && present.inode == intent.entry.inode
        : present.isUntouchedSince(intent.entry);
    return !isThere;
}

} // namespace

std::string encode(const PreImageRecord& record)
{
    ByteWriter body;
    body.number(static_cast<std::uint8_t>(record.kind));
    body.number(static_cast<std::uint8_t>(record.content));
    body.number(record.object);
    body.string(record.path);
    body.string(record.other);
    put(body, record.entry);
    body.string(record.note);
    for (const Attribute& attribute : record.attributes) {
        body.string(attribute.name);
        body.string(attribute.value);
    }
    ByteWriter frame;
    frame.number(static_cast<std::uint32_t>(body.bytes().size()));
    frame.number(checksum(body.bytes()));
    return frame.take() + body.bytes();
}

Result<std::vector<PreImageRecord>> decodeManifest(std::string_view bytes, std::size_t* length)
{
    std::vector<PreImageRecord> records;
    std::size_t whole = 0;
    while (bytes.size() >= kFrame) {
        ByteReader frame(bytes.substr(0, kFrame));
        REVET_ASSIGN_OR_RETURN(const auto size, frame.number<std::uint32_t>());
        REVET_ASSIGN_OR_RETURN(const auto sum, frame.number<std::uint32_t>());
        if (size > bytes.size() - kFrame) {
            break; // torn
        }
        const std::string_view body = bytes.substr(kFrame, size);
        bytes.remove_prefix(kFrame + size);
        if (size == 0 || checksum(body) != sum) {
            // A tail that the disk never got reads as zeros.
            const bool isTail = bytes.find_first_not_of('\0') == std::string_view::npos;
            if (!isTail) {
                return fail(ErrorCode::Malformed, "read the list of pre-images", "it is damaged");
            }
            break;
        }
        REVET_ASSIGN_OR_RETURN(PreImageRecord record, decodeRecord(body));
        whole += kFrame + size;
        if (record.kind != Kind::Void) {
            records.push_back(std::move(record));
        } else if (record.object <= records.size()) {
            records.resize(records.size() - record.object);
        } else {
            return fail(ErrorCode::Malformed, "read the list of pre-images", "it takes back too much");
        }
    }
    if (length != nullptr) {
        *length = whole;
    }
    return records;
}

Result<PreImages> readPreImages(const std::filesystem::path& directory)
{
    REVET_ASSIGN_OR_RETURN(const std::string bytes, readManifest(directory / "manifest"));
    PreImages images;
    REVET_ASSIGN_OR_RETURN(images.records, decodeManifest(bytes, &images.length));
    if (images.records.empty() || images.records.front().kind != Kind::Root) {
        return fail(ErrorCode::Malformed, "read the list of pre-images", "it does not name its tree");
    }
    images.root = images.records.front().path;
    images.objects = images.records.front().other;
    images.rootBefore = images.records.front().entry;
    images.records.erase(images.records.begin());
    images.isSealed = !images.records.empty() && images.records.back().kind == Kind::Sealed;
    if (images.isSealed) {
        images.records.pop_back();
    }
    for (bool isLast = !images.isSealed; isLast && !images.records.empty();) {
        const Kind kind = images.records.back().kind;
        const bool isIntent = makesOnly(kind) || takesAway(kind);
        REVET_ASSIGN_OR_RETURN(const bool happened,
                               isIntent ? hasHappened(images, images.records.back()) : Result<bool>(true));
        if (!happened) {
            images.records.pop_back();
            ++images.unhappened;
        }
        isLast = !happened && takesAway(kind); // what is replaced is told before what replaces it
    }
    return images;
}

Result<std::filesystem::path> readObjectsPlace(const std::filesystem::path& directory)
{
    REVET_ASSIGN_OR_RETURN(const std::string bytes, readManifest(directory / "manifest"));
    REVET_ASSIGN_OR_RETURN(const auto records, decodeManifest(bytes));
    if (records.empty() || records.front().kind != Kind::Root) {
        return fail(ErrorCode::NotFound, "find the contents of pre-images");
    }
    return std::filesystem::path(records.front().other);
}

std::string objectName(std::uint64_t object)
{
    return std::to_string(object);
}

std::filesystem::path preImagesDirectory(const std::filesystem::path& sessionDirectory, std::size_t root)
{
    return sessionDirectory / "pre-images" / std::to_string(root);
}

} // namespace revet::workspace
