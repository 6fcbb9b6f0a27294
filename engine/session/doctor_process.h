// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace revet::session {

/// A program that the doctor started outside of any box. Killed and reaped when it is destroyed.
class DoctorProcess
{
public:
    struct Start
    {
        std::vector<std::string> argv;
        std::vector<std::string> environment; ///< NAME=value, nothing else
        std::vector<std::pair<int, int>> descriptors; ///< ours, and the number it gets there
    };
    /// Descriptors 0 to 2 that are not given are /dev/null; no other is passed on.
    [[nodiscard]] static Result<DoctorProcess> start(const Start& start);
    DoctorProcess(DoctorProcess&& other) noexcept;
    DoctorProcess& operator=(DoctorProcess&& other) noexcept;
    DoctorProcess(const DoctorProcess&) = delete;
    DoctorProcess& operator=(const DoctorProcess&) = delete;
    ~DoctorProcess();

    [[nodiscard]] pid_t pid() const { return m_pid; }
    [[nodiscard]] int handle() const { return m_handle.get(); } ///< pidfd
    [[nodiscard]] bool isRunning() const;
    void kill();
    /// The wait status, after its end; -1 when it was not there in time.
    [[nodiscard]] int wait(std::chrono::milliseconds patience);

private:
    DoctorProcess() = default;
    pid_t m_pid = -1;
    UniqueFd m_handle;
};

/// Everything that a program writes to standard output, at most 1 MiB.
[[nodiscard]] Result<std::string> outputOf(const std::vector<std::string>& argv);

} // namespace revet::session
