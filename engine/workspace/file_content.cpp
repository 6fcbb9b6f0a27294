// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/file_content.h"

#include <cerrno>
#include <functional>
#include <string_view>

#include <unistd.h>

namespace revet::workspace {

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 16U;

/// A chunk at `offset`, empty at the end of the file. The buffer is reused.
Result<std::string_view> readAt(const UniqueFd& file, std::uint64_t offset, std::string& buffer)
{
    buffer.resize(kChunk);
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

} // namespace

bool isEqualContent(const UniqueFd& left, const UniqueFd& right)
{
    std::string leftBuffer;
    std::string rightBuffer;
    for (std::uint64_t offset = 0;; offset += kChunk) {
        const auto leftPart = readAt(left, offset, leftBuffer);
        const auto rightPart = readAt(right, offset, rightBuffer);
        if (!leftPart || !rightPart || *leftPart != *rightPart) {
            return false;
        }
        if (leftPart->size() < kChunk) {
            return true;
        }
    }
}

Result<std::string> readContent(const UniqueFd& file, std::size_t maximumBytes)
{
    std::string content;
    std::string buffer;
    for (;;) {
        REVET_ASSIGN_OR_RETURN(const auto part, readAt(file, content.size(), buffer));
        content += part;
        if (content.size() > maximumBytes) {
            return fail(ErrorCode::LimitExceeded, "read a file");
        }
        if (part.size() < kChunk) {
            return content;
        }
    }
}

Result<std::uint64_t> contentHash(const UniqueFd& file)
{
    std::uint64_t hash = 0;
    std::string buffer;
    for (std::uint64_t offset = 0;; offset += kChunk) {
        REVET_ASSIGN_OR_RETURN(const auto part, readAt(file, offset, buffer));
        hash = hash * 0x9e3779b97f4a7c15U + std::hash<std::string_view>()(part);
        if (part.size() < kChunk) {
            return hash;
        }
    }
}

} // namespace revet::workspace
