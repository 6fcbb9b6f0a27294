// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/os/target_memory.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <string_view>

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

namespace revet::os {
namespace {

constexpr std::uint64_t kPageSize = 4096; // the smallest there is; larger pages only mean more reads
constexpr std::size_t kFirstChunk = 256; // most paths

[[nodiscard]] tl::unexpected<Error> fault()
{
    return fail(Error::fromErrno("read the target's memory", EFAULT));
}

} // namespace

TargetMemory::TargetMemory(int tid)
    : m_tid(tid)
{
}

Result<void> TargetMemory::read(std::uint64_t address, std::span<std::byte> into)
{
    while (!into.empty()) {
        REVET_ASSIGN_OR_RETURN(const std::size_t count, readSome(address, into));
        address += count;
        into = into.subspan(count);
    }
    return {};
}

Result<std::string> TargetMemory::readString(std::uint64_t address, std::size_t limit)
{
    std::string text;
    std::array<char, kPageSize> chunk; // NOLINT(cppcoreguidelines-pro-type-member-init): written before read
    std::size_t wanted = kFirstChunk;
    while (text.size() < limit) {
        // Never over the end of a page: the next one may not be readable, and need not be.
        const std::size_t untilPageEnd = kPageSize - address % kPageSize;
        const std::span part = std::as_writable_bytes(
            std::span(chunk).first(std::min({wanted, untilPageEnd, limit - text.size()})));
        // The file ignores PROT_NONE, the kernel's own copy does not; a guard page is met by running into it.
        const bool isContinuation = !text.empty() && address % kPageSize == 0;
        REVET_ASSIGN_OR_RETURN(const std::size_t count,
                               isContinuation ? readSomeByCall(address, part) : readSome(address, part));
        const std::string_view got(chunk.data(), count);
        const std::size_t end = got.find('\0');
        text.append(got.substr(0, end));
        if (end != std::string_view::npos) {
            return text;
        }
        address += count;
        wanted = kPageSize;
    }
    return fail(Error::fromErrno("read a string of the target", ENAMETOOLONG));
}

Result<std::size_t> TargetMemory::readSome(std::uint64_t address, std::span<std::byte> into)
{
    if (address > static_cast<std::uint64_t>(std::numeric_limits<off_t>::max())) {
        return fault();
    }
    for (int attempt = 0; attempt < 2; ++attempt) {
        if (!m_memory) {
            const std::string path = "/proc/" + std::to_string(m_tid) + "/mem";
            m_memory.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
            if (!m_memory) {
                return readSomeByCall(address, into);
            }
        }
        const ssize_t count = ::pread(m_memory.get(), into.data(), into.size(), static_cast<off_t>(address));
        if (count > 0) {
            return static_cast<std::size_t>(count);
        }
        if (count < 0) {
            return fault();
        }
        // Nothing, without an error: the process runs another program by now and this memory is gone.
        m_memory.reset();
    }
    return fault();
}

Result<std::size_t> TargetMemory::readSomeByCall(std::uint64_t address, std::span<std::byte> into) const
{
    const iovec local{into.data(), into.size()};
    const iovec remote{reinterpret_cast<void*>(address), into.size()}; // NOLINT(performance-no-int-to-ptr)
    const ssize_t count = ::process_vm_readv(m_tid, &local, 1, &remote, 1, 0);
    if (count > 0) {
        return static_cast<std::size_t>(count);
    }
    if (count < 0 && errno != EFAULT) {
        return failErrno("read the target's memory");
    }
    return fault();
}

} // namespace revet::os
