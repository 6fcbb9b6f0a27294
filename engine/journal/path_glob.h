// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>

namespace revet::journal {

/// A pattern over the bytes of a path: `?` is one byte and `*` any bytes, neither a slash; `**` also slashes.
/// A pattern without a slash is tried on the last part of the path. Total, and never slower than the product
/// of both lengths.
class PathGlob
{
public:
    explicit PathGlob(std::string_view pattern);
    [[nodiscard]] bool matches(std::string_view path) const;
    [[nodiscard]] const std::string& pattern() const { return m_pattern; }

private:
    std::string m_pattern;
    bool m_lastPartOnly;
    bool m_isLiteral;
};

} // namespace revet::journal
