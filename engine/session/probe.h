// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <initializer_list>
#include <span>
#include <string>

#include <sys/types.h>

/// revet-probe: what the doctor runs in a box to see whether its walls stand. Static and without any part of
/// the engine but this, since it is a program of the box's like every other.
namespace revet::probe {

/// What the doctor prepared on the host, and how the box was asked to be.
struct HostFacts
{
    bool isLayered = false; ///< container: the project's changes go to a layer
    std::string project;
    std::string outside; ///< a directory of the host's that the box must not see, with "canary" in it
    int port4 = 0; ///< of a listener on the host's 127.0.0.1; 0: there is none
    int port6 = 0; ///< the same on ::1
    std::string abstractSocket; ///< a name without its leading NUL
    std::string hiddenSocket; ///< below `outside`
    std::string projectSocket; ///< the host's, in the project
    pid_t process = 0; ///< a process of the host's, with `mark` among its arguments
    std::string mark;
    std::string key; ///< description of a key that only who shares the doctor's session keyring can see
};

struct Outcome
{
    enum class Kind { Ok, Fail, Skipped } kind = Kind::Fail;
    std::string detail; ///< what was seen; for Skipped: why it could not be tried
};

struct Probe
{
    const char* name;
    Outcome (*run)(const HostFacts& facts);
};

/// In the order in which they are run: the last ones change the project.
[[nodiscard]] std::span<const Probe> processProbes();
[[nodiscard]] std::span<const Probe> callProbes();
[[nodiscard]] std::span<const Probe> socketProbes();
[[nodiscard]] std::span<const Probe> fileProbes();
/// What the kernel must have, tried outside of any box.
[[nodiscard]] std::span<const Probe> machineProbes();

[[nodiscard]] inline Outcome ok(std::string detail)
{
    return {Outcome::Kind::Ok, std::move(detail)};
}
[[nodiscard]] inline Outcome failed(std::string detail)
{
    return {Outcome::Kind::Fail, std::move(detail)};
}
/// Ok when the deed failed with one of these; anything else shows nothing, and is a failure of the probe.
[[nodiscard]] Outcome refused(int errnoValue, std::initializer_list<int> wanted);
/// Ok for 0.
[[nodiscard]] Outcome worked(int errnoValue, const std::string& what);
/// Of a system call's return value, right after the call: 0 or errno.
[[nodiscard]] int outcomeOf(long result);
/// "EPERM"; "errno 999" for what has no name.
[[nodiscard]] std::string errnoName(int errnoValue);
/// Up to 1 MiB of a file; 0 or errno.
[[nodiscard]] int readFile(const std::string& path, std::string& text);
/// Makes a file that is not there yet; 0 or errno.
[[nodiscard]] int createFile(const std::string& path, const std::string& text);

} // namespace revet::probe
