// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace revet::os {

/// Another process's memory through a cached /proc/TID/mem, which costs a third of process_vm_readv; that is
/// what it falls back to where the file cannot be opened. One thread.
class TargetMemory
{
public:
    explicit TargetMemory(int tid);

    /// All of `into` or EFAULT.
    [[nodiscard]] Result<void> read(std::uint64_t address, std::span<std::byte> into);
    /// Bytes up to a NUL, of which at most `limit` are looked at: EFAULT where the memory ends before one,
    /// ENAMETOOLONG without one.
    [[nodiscard]] Result<std::string> readString(std::uint64_t address, std::size_t limit);
    /// To be called when the process may get another memory: a descriptor opened in a vfork child goes on
    /// reading its parent's after the exec.
    void drop() { m_memory.reset(); }

private:
    [[nodiscard]] Result<std::size_t> readSome(std::uint64_t address, std::span<std::byte> into);
    [[nodiscard]] Result<std::size_t> readSomeByCall(std::uint64_t address, std::span<std::byte> into) const;

    int m_tid;
    UniqueFd m_memory;
};

} // namespace revet::os
