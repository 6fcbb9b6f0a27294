// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/os/user_namespace.h"

#include "engine/base/unique_fd.h"

#include <array>
#include <string>

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace revet::os {

namespace {

Result<void> writeMap(const char* file, const std::string& text)
{
    const UniqueFd fd(::open(file, O_WRONLY | O_CLOEXEC));
    if (!fd || ::write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
        return failErrno(std::string("write ") + file);
    }
    return {};
}

Result<void> keepCapability(unsigned number)
{
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<__user_cap_data_struct, 2> sets{};
    sets.at(number / 32).permitted = 1U << (number % 32);
    sets.at(number / 32).effective = 1U << (number % 32);
    if (::syscall(SYS_capset, &header, sets.data()) != 0) {
        return failErrno("give capabilities up");
    }
    return {};
}

} // namespace

Result<void> enterUserNamespace()
{
    const std::string user = std::to_string(::geteuid());
    const std::string group = std::to_string(::getegid());
    if (::unshare(CLONE_NEWUSER) != 0) {
        return failErrno("make a user namespace");
    }
    REVET_RETURN_IF_ERROR(writeMap("/proc/self/setgroups", "deny"));
    REVET_RETURN_IF_ERROR(writeMap("/proc/self/uid_map", user + ' ' + user + " 1"));
    REVET_RETURN_IF_ERROR(writeMap("/proc/self/gid_map", group + ' ' + group + " 1"));
    return keepCapability(CAP_DAC_OVERRIDE);
}

} // namespace revet::os
