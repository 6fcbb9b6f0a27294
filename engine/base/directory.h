// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <filesystem>
#include <system_error>

namespace revet {

/// Calls visit(entry) for each entry of a directory, in no order, until visit returns false. Fails where the
/// directory cannot be opened or read to its end; a loop over a directory_iterator would throw there.
template<typename Visit>
[[nodiscard]] Result<void> forEachEntry(const std::filesystem::path& directory, Visit visit)
{
    std::error_code error;
    std::filesystem::directory_iterator entry(directory, error);
    const std::filesystem::directory_iterator end;
    while (!error && entry != end && visit(*entry)) {
        entry.increment(error);
    }
    return error ? fail(Error::fromErrno("list " + directory.string(), error.value())) : Result<void>();
}

} // namespace revet
