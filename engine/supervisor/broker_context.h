// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/supervisor/deferred_files.h"
#include "engine/supervisor/fact_writer.h"
#include "engine/supervisor/hard_links.h"
#include "engine/supervisor/mutation_guard.h"
#include "engine/supervisor/network_watch.h"
#include "engine/supervisor/own_sockets.h"
#include "engine/supervisor/pre_image_sink.h"
#include "engine/supervisor/root_resolver.h"

namespace revet::supervisor {

/// What the brokers of one box share. PathBroker owns it and lets one call in at a time.
struct BrokerContext
{
    const BoxView& box;
    const RootResolver& resolver;
    const FactWriter& facts;
    const CallersQuestion& question;
    MutationGuard& guard;
    HardLinks& links;
    DeferredFiles& deferred;
    OwnSockets& sockets;
    PreImageSink& preImages;
    NetworkWatch* network; ///< or none
};

[[nodiscard]] inline bool isBrokered(const Root* root)
{
    return root != nullptr && root->kind == Root::Kind::Brokered;
}

/// The path that isKept() had, as far as that is known.
[[nodiscard]] std::string keptPath(const BrokerContext& context, const Found& found);

/// Gives the file at a canonical path an inode of its own where another name of it could lie outside the
/// roots (rule G3). `status` is what was judged. Refused where that cannot be done.
[[nodiscard]] Judgement separateLinks(const BrokerContext& context, const std::string& path,
                                      const struct stat& status, bool keepContent);

} // namespace revet::supervisor
