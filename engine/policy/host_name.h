// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <compare>
#include <string>
#include <string_view>
#include <vector>

namespace revet::policy {

/// A name of DNS in the one form that is judged, looked up, shown and stored: lower case, A-labels (IDNA
/// 2008), no dot at the end. Letters, digits, "-" and "_" only, at most 63 bytes a label and 253 in all.
/// Immutable, thread-safe.
class HostName
{
public:
    /// Any bytes, of which nothing is dropped but one dot at the end. Malformed for all that is no name: an
    /// address too, as every resolver of addresses reads one whose last label is a number.
    [[nodiscard]] static Result<HostName> parse(std::string_view bytes);

    [[nodiscard]] const std::string& text() const { return m_text; }
    [[nodiscard]] std::vector<std::string_view> labels() const;

    friend auto operator<=>(const HostName&, const HostName&) = default;

private:
    explicit HostName(std::string text)
        : m_text(std::move(text))
    {
    }
    std::string m_text;
};

} // namespace revet::policy
