// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include <linux/filter.h>
#include <linux/seccomp.h>

namespace revet::test {

/// What the kernel's filter machine would answer for one call: the value of the RET that is reached, none for
/// a program that the kernel would not load. Only the instructions that libseccomp emits (bpf(4),
/// seccomp(2)).
[[nodiscard]] inline std::optional<std::uint32_t> runFilter(std::string_view program,
                                                            const seccomp_data& data)
{
    const std::size_t count = program.size() / sizeof(sock_filter);
    std::uint32_t accumulator = 0;
    for (std::size_t at = 0; at < count; ++at) {
        sock_filter instruction{};
        std::memcpy(&instruction, program.data() + at * sizeof instruction, sizeof instruction);
        const std::uint32_t k = instruction.k;
        switch (instruction.code) {
        case BPF_LD | BPF_W | BPF_ABS:
            if (k % sizeof accumulator != 0 || k + sizeof accumulator > sizeof data) {
                return std::nullopt;
            }
            std::memcpy(&accumulator, reinterpret_cast<const char*>(&data) + k, sizeof accumulator);
            break;
        case BPF_ALU | BPF_AND | BPF_K:
            accumulator &= k;
            break;
        case BPF_JMP | BPF_JA:
            at += k;
            break;
        case BPF_JMP | BPF_JEQ | BPF_K:
            at += accumulator == k ? instruction.jt : instruction.jf;
            break;
        case BPF_JMP | BPF_JGT | BPF_K:
            at += accumulator > k ? instruction.jt : instruction.jf;
            break;
        case BPF_JMP | BPF_JGE | BPF_K:
            at += accumulator >= k ? instruction.jt : instruction.jf;
            break;
        case BPF_JMP | BPF_JSET | BPF_K:
            at += (accumulator & k) != 0 ? instruction.jt : instruction.jf;
            break;
        case BPF_RET | BPF_K:
            return k;
        default:
            return std::nullopt;
        }
    }
    return std::nullopt;
}

} // namespace revet::test
