// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace revet::bench {

using Seconds = std::chrono::duration<double>;

struct Timed
{
    Seconds wall{};
    std::string out; ///< of its standard output, up to 64 KiB; standard error is thrown away
};

/// Runs a program with exactly this environment and says how long it took, from before it is started until it
/// is reaped. Nothing when it could not start or ended with another status than 0.
[[nodiscard]] std::optional<Timed> timeProgram(const std::vector<std::string>& command,
                                               const std::filesystem::path& directory,
                                               const std::map<std::string, std::string>& environment);

/// 0 for no values.
[[nodiscard]] double median(std::vector<double> values);

} // namespace revet::bench
