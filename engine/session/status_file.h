// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"
#include "engine/ipc/box_protocol.h"

#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

namespace revet::session {

/// What was denied in the box, and what to do about it, in words: an error number tells a program, and an
/// agent, too little. The box reads it as $REVET_STATUS. note() is thread-safe, the rest is one thread's.
class StatusFile
{
public:
    static constexpr const char* kPlaceInBox = "/run/revet";
    static constexpr const char* kName = "status";
    static constexpr std::size_t kMaximumDenials = 50;

    /// In a directory of the host's that the box sees.
    [[nodiscard]] static Result<StatusFile> create(const std::filesystem::path& directory);

    /// Hostile parts must have been escaped. The same again replaces the one before.
    void note(ipc::Denial denial);
    /// What it says, the latest last. Any thread.
    [[nodiscard]] std::vector<ipc::Denial> recent() const;
    /// Readable when write() has something to do.
    [[nodiscard]] int fd() const { return m_news.get(); }
    /// Puts it where the box reads it, if there is anything new. A box that cannot be told is not ended.
    void write();

private:
    StatusFile(UniqueFd directory, UniqueFd news)
        : m_directory(std::move(directory))
        , m_news(std::move(news))
        , m_shared(std::make_unique<Shared>())
    {
    }
    struct Shared
    {
        std::mutex mutex;
        std::deque<ipc::Denial> denials; ///< oldest first
        bool isNew = true;
    };
    UniqueFd m_directory;
    UniqueFd m_news; ///< eventfd
    std::unique_ptr<Shared> m_shared;
};

} // namespace revet::session
