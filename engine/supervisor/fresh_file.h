// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <string>
#include <string_view>

#include <sys/stat.h>

namespace revet::supervisor {

inline constexpr std::size_t kMaximumJudgedFile = std::size_t{64} * 1024;

/// A regular file's content from its start. Fails when it is no regular file or longer than `maximum`.
[[nodiscard]] Result<std::string> readWhole(int fd, std::size_t maximum);
/// The same for an entry of a directory; a last link is not followed.
[[nodiscard]] Result<std::string> readEntry(int directory, const std::string& name, std::size_t maximum);

/// Puts `content` under `name` in an inode that no process of the box ever had open, replacing what is
/// there. All or nothing. Here and below, `record` is an open file in which the path of the passing file
/// (".revet-WHAT-N") stands while it may be there, so that what a killed session leaves can be removed; -1
/// for none.
[[nodiscard]] Result<void> installFresh(int record, int directory, const std::string& name,
                                        std::string_view content, mode_t mode);

enum class Content : bool { Drop, Keep };
/// Replaces the regular file `name`, which is `expected`, by a copy of it (mode, times, attributes; the
/// content unless it is about to be truncated), so that its other hard links are left alone.
[[nodiscard]] Result<void> replaceByCopy(int record, int directory, const std::string& name,
                                         const struct stat& expected, Content content);

/// How passing files' names begin.
inline constexpr std::string_view kPassingPrefix = ".revet-";

} // namespace revet::supervisor
