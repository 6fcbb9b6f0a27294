// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace revet::session {

/// What a path is besides its name: links and bind mounts give one directory several, and what must not be
/// shown by one of them must not be by another. Looks once.
class PathKin
{
public:
    explicit PathKin(const std::string& path);

    /// The path as it is called below `place`, by whatever name it is there; none where it is elsewhere.
    [[nodiscard]] std::optional<std::string> asBelow(const std::string& place) const;
    /// Whether `place` really is at the path or below it.
    [[nodiscard]] bool holds(const std::string& place) const;

private:
    using Object = std::pair<dev_t, ino_t>;
    [[nodiscard]] static std::optional<Object> objectAt(const std::string& path);

    std::string m_path;
    std::vector<std::pair<Object, std::size_t>> m_way; ///< with how much of the path leads to it; not "/"
};

} // namespace revet::session
