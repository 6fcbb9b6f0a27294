// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/file_content.h"

#include <algorithm>
#include <cerrno>
#include <functional>
#include <string_view>

#include <sys/stat.h>
#include <unistd.h>

namespace revet::workspace {

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 16U;

/// Up to `most` bytes at `offset`, empty at the end of the file. The buffer is reused; most files are small,
/// so it is as well.
Result<std::string_view> readAt(const UniqueFd& file, std::uint64_t offset, std::string& buffer,
                                std::uint64_t most = kChunk)
{
    buffer.resize(most);
    std::size_t filled = 0;
    while (filled < buffer.size()) {
        const ssize_t count = ::pread(file.get(), buffer.data() + filled, buffer.size() - filled,
                                      static_cast<off_t>(offset + filled));
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            return failErrno("read a file");
        }
        if (count == 0) {
            break;
        }
        filled += static_cast<std::size_t>(count);
    }
    return std::string_view(buffer).substr(0, filled);
}

/// The first chunk from `offset` on that is not all a hole, or the size: a terabyte of nothing costs nothing.
std::uint64_t nextChunk(const UniqueFd& file, std::uint64_t offset, std::uint64_t size)
{
    const off_t data = ::lseek(file.get(), static_cast<off_t>(offset), SEEK_DATA);
    if (data < 0) {
        return errno == ENXIO ? size : offset; // another error: read it, that tells
    }
    return static_cast<std::uint64_t>(data) / kChunk * kChunk;
}

Result<std::uint64_t> sizeOf(const UniqueFd& file)
{
    struct stat status = {};
    if (::fstat(file.get(), &status) != 0) {
        return failErrno("look at a file");
    }
    return static_cast<std::uint64_t>(status.st_size);
}

/// For file systems between which the kernel does not copy (copy_file_range(2): EXDEV), and those that
/// cannot.
Result<bool> copyByHand(const UniqueFd& from, const UniqueFd& to, std::uint64_t begin, std::uint64_t end)
{
    std::string buffer;
    while (begin < end) {
        REVET_ASSIGN_OR_RETURN(std::string_view part, readAt(from, begin, buffer));
        part = part.substr(0, end - begin);
        if (part.empty()) {
            return false;
        }
        while (!part.empty()) {
            const ssize_t put = ::pwrite(to.get(), part.data(), part.size(), static_cast<off_t>(begin));
            if (put < 0 && errno != EINTR) {
                return failErrno("copy a file");
            }
            const auto done = put < 0 ? 0 : static_cast<std::size_t>(put);
            part.remove_prefix(done);
            begin += done;
        }
    }
    return true;
}

Result<bool> copyRange(const UniqueFd& from, const UniqueFd& to, std::uint64_t begin, std::uint64_t end)
{
    auto in = static_cast<off_t>(begin);
    auto out = in;
    while (in < static_cast<off_t>(end)) {
        const ssize_t copied
            = ::copy_file_range(from.get(), &in, to.get(), &out, end - static_cast<std::uint64_t>(in), 0);
        if (copied < 0 && errno == EINTR) {
            continue;
        }
        if (copied <= 0) {
            return copyByHand(from, to, static_cast<std::uint64_t>(in), end);
        }
    }
    return true;
}

} // namespace

Result<bool> copyData(const UniqueFd& from, const UniqueFd& to, std::uint64_t size)
{
    if (::ftruncate(to.get(), static_cast<off_t>(size)) != 0) {
        return failErrno("copy a file");
    }
    for (std::uint64_t at = 0; at < size;) {
        const off_t data = ::lseek(from.get(), static_cast<off_t>(at), SEEK_DATA);
        if (data < 0 && errno == ENXIO) {
            break; // a hole up to the end
        }
        const off_t hole = data < 0 ? -1 : ::lseek(from.get(), data, SEEK_HOLE);
        // Who knows nothing of holes has data only.
        const std::uint64_t begin = hole < 0 ? at : static_cast<std::uint64_t>(data);
        const std::uint64_t end = hole < 0 ? size : std::min(static_cast<std::uint64_t>(hole), size);
        REVET_ASSIGN_OR_RETURN(const bool isWhole, copyRange(from, to, begin, end));
        if (!isWhole) {
            return false;
        }
        at = end;
    }
    return true;
}

Result<bool> isEqualContent(const UniqueFd& left, const UniqueFd& right)
{
    REVET_ASSIGN_OR_RETURN(const std::uint64_t size, sizeOf(left));
    REVET_ASSIGN_OR_RETURN(const std::uint64_t otherSize, sizeOf(right));
    if (size != otherSize) {
        return false;
    }
    std::string leftBuffer;
    std::string rightBuffer;
    for (std::uint64_t offset = 0; offset < size; offset += kChunk) {
        offset = std::min(nextChunk(left, offset, size), nextChunk(right, offset, size));
        const std::uint64_t most = std::min<std::uint64_t>(size - offset, kChunk);
        REVET_ASSIGN_OR_RETURN(const auto leftPart, readAt(left, offset, leftBuffer, most));
        REVET_ASSIGN_OR_RETURN(const auto rightPart, readAt(right, offset, rightBuffer, most));
        if (leftPart != rightPart) {
            return false;
        }
    }
    return true;
}

Result<std::string> readContent(const UniqueFd& file, std::size_t maximumBytes)
{
    constexpr std::uint64_t kMostAtOnce = std::uint64_t{1} << 20U;
    REVET_ASSIGN_OR_RETURN(const std::uint64_t size, sizeOf(file));
    std::string content;
    std::string buffer;
    // One byte more than there should be: where that is missing, the file ends.
    for (std::uint64_t most = std::min(size, kMostAtOnce) + 1;; most = kMostAtOnce) {
        REVET_ASSIGN_OR_RETURN(const auto part, readAt(file, content.size(), buffer, most));
        content += part;
        if (content.size() > maximumBytes) {
            return fail(ErrorCode::LimitExceeded, "read a file");
        }
        if (part.size() < most) {
            return content;
        }
    }
}

Result<std::uint64_t> contentHash(const UniqueFd& file)
{
    constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15U;
    REVET_ASSIGN_OR_RETURN(const std::uint64_t size, sizeOf(file));
    std::uint64_t hash = size;
    std::string buffer;
    for (std::uint64_t offset = 0; offset < size; offset += kChunk) {
        offset = nextChunk(file, offset, size);
        const std::uint64_t most = std::min<std::uint64_t>(size - offset, kChunk);
        REVET_ASSIGN_OR_RETURN(const auto part, readAt(file, offset, buffer, most));
        // Zeros that were written count as the hole that another file has there.
        if (part.find_first_not_of('\0') != std::string_view::npos) {
            hash = (hash + offset) * kFactor + std::hash<std::string_view>()(part);
        }
    }
    return hash;
}

} // namespace revet::workspace
