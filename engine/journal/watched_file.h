// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"

#include <filesystem>

namespace revet::journal {

/// Notices that a file was deleted or replaced while it is in use: SQLite itself would go on writing to a
/// file that no one can open any more.
class WatchedFile
{
public:
    /// `file` must exist.
    [[nodiscard]] static Result<WatchedFile> open(std::filesystem::path file);
    /// Fails when the name no longer leads to the file.
    [[nodiscard]] Result<void> check() const;

private:
    WatchedFile(UniqueFd fd, std::filesystem::path file)
        : m_fd(std::move(fd))
        , m_file(std::move(file))
    {
    }
    UniqueFd m_fd;
    std::filesystem::path m_file;
};

} // namespace revet::journal
