// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/shown_paths.h"

#include "engine/domain/display_escape.h"
#include "engine/session/own_places.h"

#include <filesystem>

namespace revet::session {

Result<void> showPaths(const std::vector<std::string>& paths, tiers::VisiblePath::Access access,
                       const Places& places, Preparation& preparation)
{
    const char* const option = access == tiers::VisiblePath::Access::ReadOnly ? "--bind-ro" : "--bind-rw";
    for (const std::string& path : paths) {
        std::error_code error;
        const std::string real = std::filesystem::canonical(path, error).string();
        if (error) {
            return fail(Error{ErrorCode::InvalidArgument, "show " + displayQuoted(path), error.value(),
                              "name a path that exists"});
        }
        if (meetsOwnPlaces(real, places) || meetsOwnPlaces(path, places)) {
            return fail(ErrorCode::Refused, "show " + displayQuoted(path), "it holds Revet's own data");
        }
        preparation.spec.visible.push_back({real, path, access});
        preparation.notes.push_back(
            {ActionKind::Session, Verdict::Permitted, Reach::Machine, real, {}, option, 0, 0});
    }
    return {};
}

} // namespace revet::session
