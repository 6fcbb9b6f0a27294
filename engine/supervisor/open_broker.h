// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/supervisor/broker_context.h"

#include <optional>
#include <variant>

namespace revet::supervisor {

/// Opens for the box what lies in a brokered root: hands over regular files, lets the kernel do everything
/// that changes nothing (read-only opens, directories, FIFOs, devices).
class OpenBroker
{
public:
    explicit OpenBroker(const BrokerContext& context)
        : m_context(context)
    {
    }
    [[nodiscard]] Answer perform(const Call& call, Target& target) const;

private:
    struct Request; ///< a call with what has been resolved of it
    /// A dangling link's own target is the next name to try.
    using Created = std::variant<Answer, Claim>;

    [[nodiscard]] Answer observe(const Request& request) const;
    [[nodiscard]] Answer openDescriptor(const Request& request, int descriptor) const;
    [[nodiscard]] Answer openWithoutName(const Request& request) const;
    /// `expected`: the only file that it may be.
    [[nodiscard]] std::optional<Answer> openExisting(const Request& request, const Claim& claim,
                                                     const InodeKey* expected = nullptr) const;
    [[nodiscard]] Answer openFailed(const Request& request, const Claim& claim, int errnoValue) const;
    [[nodiscard]] Answer openJudged(const Request& request, Found found) const;
    [[nodiscard]] Answer openDeferred(const Request& request, Place place) const;
    [[nodiscard]] Created create(const Request& request, const Claim& claim) const;
    [[nodiscard]] Created alreadyThere(const Request& request, const Claim& claim, const Place& place) const;
    [[nodiscard]] Answer finish(const Request& request, Found found) const;

    const BrokerContext& m_context;
};

} // namespace revet::supervisor
