// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/own_places.h"

#include "engine/session/project_finder.h"

#include <algorithm>
#include <array>

namespace revet::session {

bool meetsOwnPlaces(const std::string& path, const Places& places)
{
    const std::array all{&places.config, &places.data, &places.runtime, &places.cache};
    return std::ranges::any_of(all, [&path](const std::filesystem::path* own) {
        return !own->empty() && (isWithin(own->string(), path) || isWithin(path, own->string()));
    });
}

} // namespace revet::session
