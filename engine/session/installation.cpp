// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/installation.h"

namespace revet::session {

Result<Installation> Installation::find()
{
    std::error_code error;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error) {
        return fail(Error::fromErrno("find Revet's own place", error.value()));
    }
    // bin/revet, or libexec/revet/revet-session.
    const std::filesystem::path folder = program.parent_path();
    const std::filesystem::path prefix
        = folder.filename() == "revet" ? folder.parent_path().parent_path() : folder.parent_path();
    return Installation{prefix / "libexec/revet", prefix / "share/revet"};
}

} // namespace revet::session
