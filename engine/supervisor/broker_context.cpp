// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/broker_context.h"

#include "engine/supervisor/fresh_file.h"

namespace revet::supervisor {

std::string keptPath(const BrokerContext& context, const Found& found)
{
    std::string name = context.preImages.keptFrom(found.status);
    return name.empty() ? found.path : name;
}

Judgement separateLinks(const BrokerContext& context, const std::string& path, const struct stat& status,
                        bool keepContent)
{
    if (!S_ISREG(status.st_mode) || context.links.areAllInside(status)) {
        return {};
    }
    const auto place = context.resolver.place(context.resolver.claimOf(path));
    const Refusal refusal{"hard link: may have a name outside the project"};
    if (!place) {
        return refusal;
    }
    if (auto unkept = context.preImages.replacing(*place, status).refusal) {
        return unkept;
    }
    if (!replaceByCopy(context.resolver.passingRecord(), place->directory.get(), place->name, status,
                       keepContent ? Content::Keep : Content::Drop)) {
        context.preImages.failed();
        return refusal;
    }
    context.preImages.created(*place);
    return {};
}

} // namespace revet::supervisor
