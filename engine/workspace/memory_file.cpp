// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/memory_file.h"

#include <cerrno>

#include <sys/mman.h>
#include <unistd.h>

namespace revet::workspace {

Result<UniqueFd> openMemoryFile(std::string_view bytes)
{
    UniqueFd file(::memfd_create("revet-content", MFD_CLOEXEC));
    if (!file) {
        return failErrno("make a file in memory");
    }
    while (!bytes.empty()) {
        const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
        if (written < 0 && errno != EINTR) {
            return failErrno("write a file in memory");
        }
        bytes.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
    }
    return file;
}

} // namespace revet::workspace
