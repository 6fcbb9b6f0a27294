// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/base/log.h"

#include <spdlog/cfg/helpers.h>
#include <spdlog/sinks/null_sink.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <memory>
#include <mutex>

namespace revet {

namespace {

constexpr std::size_t kMaximumLogBytes = std::size_t{1} << 20U;

std::mutex registryMutex;
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): spdlog's registry is global as well
spdlog::sink_ptr sharedSink = std::make_shared<spdlog::sinks::null_sink_mt>();

} // namespace

spdlog::logger& log(const std::string& room)
{
    const std::scoped_lock lock(registryMutex);
    if (auto existing = spdlog::get(room)) {
        return *existing; // the registry keeps it alive
    }
    auto created = std::make_shared<spdlog::logger>(room, sharedSink);
    spdlog::initialize_logger(created);
    return *created;
}

void setUpLog(const std::filesystem::path& file)
{
    const std::scoped_lock lock(registryMutex);
    sharedSink = std::make_shared<spdlog::sinks::rotating_file_sink_mt>(file.string(), kMaximumLogBytes, 1);
    spdlog::flush_on(spdlog::level::warn);
    if (const char* level = std::getenv("REVET_LOG")) {
        spdlog::cfg::helpers::load_levels(level);
    }
    spdlog::apply_all([](const std::shared_ptr<spdlog::logger>& logger) { logger->sinks() = {sharedSink}; });
}

} // namespace revet
