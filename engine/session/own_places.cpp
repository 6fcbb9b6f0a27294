// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/own_places.h"

#include "engine/session/project_finder.h"

#include <algorithm>
#include <array>

namespace revet::session {

namespace {

template<typename Meets>
bool anyMeets(const Places& places, const Meets& meets)
{
    const std::array all{&places.config, &places.data, &places.runtime, &places.cache};
    return std::ranges::any_of(
        all, [&meets](const std::filesystem::path* own) { return !own->empty() && meets(own->string()); });
}

} // namespace

bool meetsOwnPlaces(const std::string& path, const Places& places)
{
    return anyMeets(places,
                    [&path](const std::string& own) { return isWithin(own, path) || isWithin(path, own); });
}

bool meetsOwnPlaces(const PathKin& path, const Places& places)
{
    return anyMeets(places, [&path](const std::string& own) { return path.holds(own) || path.asBelow(own); });
}

} // namespace revet::session
