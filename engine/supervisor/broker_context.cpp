// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/broker_context.h"

#include "engine/supervisor/fresh_file.h"

namespace revet::supervisor {

Judgement separateLinks(const BrokerContext& context, const std::string& path, const struct stat& status,
                        bool keepContent)
{
    if (!S_ISREG(status.st_mode) || context.links.areAllInside(status)) {
        return {};
    }
    const auto place = context.resolver.place(context.resolver.claimOf(path));
    if (!place
        || !replaceByCopy(context.resolver.passingRecord(), place->directory.get(), place->name, status,
                          keepContent ? Content::Keep : Content::Drop)) {
        return Refusal{"hard link: may have a name outside the project"};
    }
    return {};
}

} // namespace revet::supervisor
