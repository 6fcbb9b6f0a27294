// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/supervisor/fact_writer.h"
#include "engine/supervisor/root_resolver.h"

#include <optional>
#include <string>
#include <vector>

namespace revet::supervisor {

/// A layered root is writable in the box, and the kernel does nearly everything. Performed or refused here is
/// what overlayfs cannot do, and what would be read as a mark of overlayfs afterwards.
class LayerBroker
{
public:
    LayerBroker(const RootResolver& resolver, const std::vector<std::string>& masked, const FactWriter& facts)
        : m_resolver(resolver)
        , m_masked(masked)
        , m_facts(facts)
    {
    }
    /// Nothing where the call is not about a layered root.
    [[nodiscard]] std::optional<Answer> perform(const Call& call, Target& target) const;

private:
    struct Subject
    {
        const Root* root = nullptr;
        std::string path;
    };
    [[nodiscard]] std::optional<Subject> subject(const Call& call, Target& target) const;
    [[nodiscard]] Answer link(const Call& call, Target& target, Deed deed) const;
    [[nodiscard]] Answer rename(const Call& call, Target& target, Deed deed) const;

    const RootResolver& m_resolver;
    const std::vector<std::string>& m_masked;
    const FactWriter& m_facts;
};

} // namespace revet::supervisor
