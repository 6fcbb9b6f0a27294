// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace revet::test {

/// Processes of this user that were started with an argument that holds `text`, such as a project's path:
/// seen from the host, whatever pid namespace they are in. The test itself is left out.
[[nodiscard]] std::vector<pid_t> processesMentioning(const std::string& text);
/// The process that listens on a session's control socket in `runtimeDirectory`/revet: the first one found,
/// or 0. Asked of the kernel, not of Revet.
[[nodiscard]] pid_t sessionProcess(const std::filesystem::path& runtimeDirectory);
/// Mounts of this process's namespace whose line holds `text`.
[[nodiscard]] std::vector<std::string> mountsMentioning(const std::string& text);
/// Whether `condition` comes true within `milliseconds`; asked every 10 ms.
[[nodiscard]] bool comesTrue(int milliseconds, const std::function<bool()>& condition);

} // namespace revet::test
