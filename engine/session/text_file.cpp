// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/text_file.h"

#include "engine/base/unique_fd.h"
#include "engine/os/socket.h"

#include <cstdio>

#include <fcntl.h>
#include <unistd.h>

namespace revet::session {

namespace {

constexpr std::size_t kMaximumTextBytes = std::size_t{1} << 20U;

} // namespace

Result<std::string> readText(const std::filesystem::path& file)
{
    const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    if (!fd) {
        return failErrno("open " + file.string());
    }
    return os::readAll(fd.get(), kMaximumTextBytes);
}

Result<void> replaceFile(const std::filesystem::path& file, std::string_view text)
{
    const std::string fresh = file.string() + "." + std::to_string(::getpid());
    const UniqueFd fd(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!fd || ::write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())
        || ::fsync(fd.get()) != 0 || ::rename(fresh.c_str(), file.c_str()) != 0) {
        const Error error = Error::fromErrno("write " + file.string());
        ::unlink(fresh.c_str());
        return fail(error);
    }
    return {};
}

} // namespace revet::session
