// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <string>
#include <vector>

namespace revet::test {

struct KilledProgram
{
    bool isKilled = false;
    int status = 0; ///< its exit status, where it was not killed
};

/// Runs a program and kills it (SIGKILL) at the entry of a system call, which is then not done: the first
/// getppid(2) is number 0, and `after` is the number of the one that is the last.
[[nodiscard]] KilledProgram runAndKill(const std::vector<std::string>& command, int after);
/// The same of a child of this process, which ends with exit status 0 when it has run that.
[[nodiscard]] KilledProgram runAndKill(const std::function<void()>& program, int after);

} // namespace revet::test
