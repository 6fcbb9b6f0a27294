// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/git_index.h"

#include "engine/base/unique_fd.h"
#include "engine/os/socket.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string_view>

#include <fcntl.h>

namespace revet::session {

namespace {

constexpr std::size_t kMaximumIndexBytes = std::size_t{256} << 20U;
constexpr std::size_t kFixedPart = 62; // of an entry, up to its name (gitformat-index(5))
constexpr std::size_t kId = 40; // where the content's id begins in it
constexpr std::string_view kEmptyFile
    = "\xe6\x9d\xe2\x9b\xb2\xd1\xd6\x43\x4b\x8b\x29\xae\x77\x5a\xd8\xc2\xe4\x8c\x53\x91";
constexpr unsigned kExtended = 0x4000;

std::uint32_t bigEndian(std::string_view bytes, std::size_t position, std::size_t count)
{
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
        value = value << 8U | static_cast<unsigned char>(bytes[position + i]);
    }
    return value;
}

tl::unexpected<Error> malformed()
{
    return fail(ErrorCode::Malformed, "read git's index", "'git status' shows whether git can");
}

/// Version 4 writes a name as "drop this many bytes of the last one, then add".
Result<std::size_t> readDropCount(std::string_view bytes, std::size_t& position)
{
    std::size_t value = 0;
    for (int digits = 0; digits < 5; ++digits) {
        if (position >= bytes.size()) {
            return malformed();
        }
        const auto byte = static_cast<unsigned char>(bytes[position++]);
        value = (digits == 0 ? 0 : (value + 1) << 7U) | (byte & 0x7fU);
        if ((byte & 0x80U) == 0) {
            return value;
        }
    }
    return malformed();
}

/// Calls visit(name, id of the content) for every entry.
template<typename Visit>
Result<void> forEachTracked(const std::filesystem::path& index, Visit visit)
{
    const UniqueFd file(::open(index.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
    if (!file && errno == ENOENT) {
        return {};
    }
    if (!file) {
        return failErrno("open git's index");
    }
    REVET_ASSIGN_OR_RETURN(const std::string bytes, os::readAll(file.get(), kMaximumIndexBytes));
    if (bytes.size() < 12 || !bytes.starts_with("DIRC")) {
        return malformed();
    }
    const std::uint32_t version = bigEndian(bytes, 4, 4);
    const std::uint32_t count = bigEndian(bytes, 8, 4);
    if (version < 2 || version > 4) {
        return malformed();
    }
    std::size_t position = 12;
    std::string name;
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::size_t start = position;
        if (bytes.size() < start + kFixedPart) {
            return malformed();
        }
        position += kFixedPart + ((bigEndian(bytes, start + 60, 2) & kExtended) != 0 ? 2U : 0U);
        if (version == 4) {
            REVET_ASSIGN_OR_RETURN(const std::size_t dropped, readDropCount(bytes, position));
            if (dropped > name.size()) {
                return malformed();
            }
            name.resize(name.size() - dropped);
        } else {
            name.clear();
        }
        const std::size_t end = bytes.find('\0', position);
        if (end == std::string::npos) {
            return malformed();
        }
        name.append(bytes, position, end - position);
        visit(name, std::string_view(bytes).substr(start + kId, kEmptyFile.size()));
        // Before version 4 entries are padded with one to eight NUL bytes to a multiple of eight.
        position = version == 4 ? end + 1 : start + ((end - start + 8) & ~std::size_t{7});
    }
    return {};
}

} // namespace

Result<std::map<std::string, bool>> trackedAmong(const std::filesystem::path& index,
                                                 const std::set<std::string>& paths)
{
    std::map<std::string, bool> tracked;
    REVET_RETURN_IF_ERROR(forEachTracked(index, [&](const std::string& name, std::string_view id) {
        if (paths.contains(name)) {
            tracked[name] = id == kEmptyFile;
        }
    }));
    return tracked;
}

Result<std::vector<std::string>> allTracked(const std::filesystem::path& index)
{
    std::vector<std::string> tracked;
    REVET_RETURN_IF_ERROR(
        forEachTracked(index, [&](const std::string& name, std::string_view) { tracked.push_back(name); }));
    std::sort(tracked.begin(), tracked.end());
    return tracked;
}

} // namespace revet::session
