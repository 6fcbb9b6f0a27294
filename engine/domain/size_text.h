// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>

namespace revet {

/// "20 MiB", "52 KiB", "7 bytes": rounded down, and never to nothing.
[[nodiscard]] inline std::string sizeText(std::uint64_t bytes)
{
    constexpr std::uint64_t kKibibyte = 1024;
    return bytes >= kKibibyte * kKibibyte ? std::to_string(bytes / kKibibyte / kKibibyte) + " MiB"
        : bytes >= kKibibyte              ? std::to_string(bytes / kKibibyte) + " KiB"
                                          : std::to_string(bytes) + " bytes";
}

} // namespace revet
