// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/base/log.h"

#include <spdlog/common.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/rotating_file_sink.h>

#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace revet {

namespace {

constexpr std::size_t kMaximumLogBytes = std::size_t{1} << 20U;

struct Shared
{
    std::mutex mutex;
    std::filesystem::path file; ///< empty: logs have no place
    std::shared_ptr<spdlog::logger>
        logger; ///< made with the first line, so that quiet sessions leave no file
};

Shared& shared()
{
    static Shared instance;
    return instance;
}

spdlog::level::level_enum toSpdlog(LogLevel level)
{
    switch (level) {
    case LogLevel::Debug:
        return spdlog::level::debug;
    case LogLevel::Info:
        return spdlog::level::info;
    case LogLevel::Warning:
        return spdlog::level::warn;
    case LogLevel::Error:
        return spdlog::level::err;
    }
    return spdlog::level::err;
}

std::shared_ptr<spdlog::logger> openLogger(const std::filesystem::path& file)
{
    auto sink = std::make_shared<spdlog::sinks::rotating_file_sink_st>(file.string(), kMaximumLogBytes, 1);
    auto logger = std::make_shared<spdlog::logger>("revet", std::move(sink));
    logger->flush_on(spdlog::level::info);
    const char* const level = std::getenv("REVET_LOG");
    logger->set_level(spdlog::level::from_str(level != nullptr ? level : "info"));
    return logger;
}

} // namespace

void log(LogLevel level, std::string_view room, std::string_view message)
{
    Shared& state = shared();
    const std::scoped_lock lock(state.mutex);
    if (state.file.empty()) {
        return;
    }
    if (!state.logger) {
        state.logger = openLogger(state.file);
    }
    std::string line(room);
    line += ": ";
    line += message;
    state.logger->log(toSpdlog(level), line);
}

void setUpLog(const std::filesystem::path& file)
{
    Shared& state = shared();
    const std::scoped_lock lock(state.mutex);
    state.file = file;
    state.logger.reset();
}

} // namespace revet
