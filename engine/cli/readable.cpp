// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/readable.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>

#include <sys/wait.h>

namespace revet::cli {

int shellStatus(std::int32_t waitStatus)
{
    constexpr int kSignalStatus = 128;
    return WIFSIGNALED(waitStatus) ? kSignalStatus + WTERMSIG(waitStatus) : WEXITSTATUS(waitStatus);
}

std::string describeStatus(std::int32_t waitStatus)
{
    if (!WIFSIGNALED(waitStatus)) {
        return "exit " + std::to_string(WEXITSTATUS(waitStatus));
    }
    const char* const name = ::sigdescr_np(WTERMSIG(waitStatus));
    return "signal " + std::to_string(WTERMSIG(waitStatus))
        + (name == nullptr ? "" : " (" + std::string(name) + ')');
}

std::string timeOfDay(WallTime time)
{
    const auto microseconds = time.time_since_epoch().count();
    const auto seconds = static_cast<std::time_t>(microseconds / 1'000'000);
    std::tm local = {};
    ::localtime_r(&seconds, &local);
    std::array<char, 16> text{};
    const std::size_t size = std::strftime(text.data(), text.size(), "%H:%M:%S", &local);
    const std::string fraction = std::to_string(1000 + (microseconds / 1000) % 1000).substr(1);
    return std::string(text.data(), size) + '.' + fraction;
}

std::string ageOf(WallTime time)
{
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(SystemClock().now() - time).count();
    if (seconds < 60) {
        return std::to_string(std::max<std::int64_t>(seconds, 0)) + 's';
    }
    if (seconds < 3600) {
        return std::to_string(seconds / 60) + 'm';
    }
    return seconds < 86400 ? std::to_string(seconds / 3600) + 'h' : std::to_string(seconds / 86400) + 'd';
}

std::string_view lastPart(std::string_view path)
{
    return path.substr(path.rfind('/') + 1); // npos + 1 is 0
}

} // namespace revet::cli
