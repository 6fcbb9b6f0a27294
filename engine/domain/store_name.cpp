// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/domain/store_name.h"

#include <algorithm>

#include <strings.h>
#include <unistd.h>

namespace revet {

namespace {

constexpr std::string_view kPrefix = ".revet-";

} // namespace

std::string ownStoreName()
{
    return std::string(kPrefix) + std::to_string(::getuid());
}

bool isStoreName(std::string_view name)
{
    name = name.substr(0, name.find_last_not_of(". ") + 1);
    return name.size() > kPrefix.size() && ::strncasecmp(name.data(), kPrefix.data(), kPrefix.size()) == 0
        && std::all_of(name.begin() + kPrefix.size(), name.end(),
                       [](char byte) { return byte >= '0' && byte <= '9'; });
}

bool isInStore(std::string_view path)
{
    while (!path.empty()) {
        const std::size_t end = std::min(path.find('/'), path.size());
        if (isStoreName(path.substr(0, end))) {
            return true;
        }
        path.remove_prefix(std::min(end + 1, path.size()));
    }
    return false;
}

} // namespace revet
