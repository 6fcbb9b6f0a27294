// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/unique_fd.h"
#include "engine/supervisor/box_view.h"

#include <string>
#include <string_view>

#include <sys/stat.h>

namespace revet::supervisor {

/// A name in a directory that is held open: where an entry is or would be. Only what is done through
/// `directory` is done to what was judged.
struct Place
{
    const Root* root = nullptr; ///< none: outside every root
    UniqueFd directory; ///< O_PATH, writable mount
    std::string directoryPath; ///< canonical
    std::string name; ///< one component, never "." or ".."
    bool hasTrailingSlash = false;

    [[nodiscard]] std::string path() const;
    /// The name as the call wrote it: the kernel knows best what a trailing slash means to each call.
    [[nodiscard]] std::string nameAsWritten() const { return hasTrailingSlash ? name + '/' : name; }
};

/// An existing object, held open.
struct Found
{
    const Root* root = nullptr; ///< none: outside every root
    UniqueFd object; ///< O_PATH, writable mount
    std::string path; ///< canonical
    struct stat status
    {
    };
    /// Whether `path` leads to it. A file that was removed or replaced still is one when undo keeps it: that
    /// is nobody's to change, and what has its name now is another.
    bool isAtPath = true;

    [[nodiscard]] bool isKept() const { return !isAtPath && S_ISREG(status.st_mode) && status.st_nlink > 0; }
};

/// Why nothing is done to what isKept().
inline constexpr const char* kKeptRule = "undo: it was removed or replaced, and is kept";

/// Component by component: "/p" holds "/p" and "/p/x", never "/p-x".
[[nodiscard]] bool isAtOrBelow(std::string_view path, std::string_view directory);
/// "/p" of "/p/x", "/" of "/x".
[[nodiscard]] std::string_view parentOf(std::string_view path);
/// "x" of "/p/x".
[[nodiscard]] std::string_view nameOf(std::string_view path);
/// The path below the root without a leading slash, as tables and git rules want it.
[[nodiscard]] std::string_view relativeTo(const Root& root, std::string_view path);

} // namespace revet::supervisor
