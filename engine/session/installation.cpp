// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/installation.h"

#include "engine/base/unique_fd.h"
#include "engine/os/socket.h"

#include <fcntl.h>

namespace revet::session {

namespace {

constexpr std::size_t kMaximumTextBytes = std::size_t{1} << 20U;

} // namespace

Result<Installation> Installation::find()
{
    std::error_code error;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error) {
        return fail(Error::fromErrno("find Revet's own place", error.value()));
    }
    // bin/revet, or libexec/revet/revet-session.
    const std::filesystem::path folder = program.parent_path();
    const std::filesystem::path prefix
        = folder.filename() == "revet" ? folder.parent_path().parent_path() : folder.parent_path();
    return Installation{prefix / "libexec/revet", prefix / "share/revet"};
}

Result<std::string> readText(const std::filesystem::path& file)
{
    const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    if (!fd) {
        return failErrno("open " + file.string());
    }
    return os::readAll(fd.get(), kMaximumTextBytes);
}

} // namespace revet::session
