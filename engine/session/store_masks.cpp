// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/store_masks.h"

#include "engine/session/project_finder.h"
#include "engine/supervisor/host_view.h"
#include "engine/workspace/pre_image_place.h"

#include <algorithm>

namespace revet::session {

std::vector<std::string> makeStoresWithin(const std::vector<std::string>& roots, bool isDirect,
                                          const std::filesystem::path& data)
{
    std::vector<std::string> tops = roots;
    if (isDirect) {
        for (std::string& point : supervisor::quickMountPoints(supervisor::ownMountInfo())) {
            const bool isInside = std::any_of(roots.begin(), roots.end(), [&point](const std::string& root) {
                return point != root && isWithin(point, root);
            });
            if (isInside) {
                tops.push_back(std::move(point));
            }
        }
    }
    std::vector<std::string> stores;
    for (const std::string& top : tops) {
        const bool isNeeded = workspace::isTopOfMount(top) && !workspace::areOnOneMount(top, data);
        if (const auto store = isNeeded ? workspace::makeStoreAtTop(top) : std::nullopt) {
            stores.push_back(store->string());
        }
    }
    return stores;
}

} // namespace revet::session
