// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/place.h"

namespace revet::supervisor {

std::string Place::path() const
{
    return directoryPath == "/" ? '/' + name : directoryPath + '/' + name;
}

bool isAtOrBelow(std::string_view path, std::string_view directory)
{
    return directory == "/"
        || (path.starts_with(directory)
            && (path.size() == directory.size() || path[directory.size()] == '/'));
}

std::string_view parentOf(std::string_view path)
{
    const std::size_t slash = path.rfind('/');
    return slash == 0 || slash == std::string_view::npos ? std::string_view("/") : path.substr(0, slash);
}

std::string_view nameOf(std::string_view path)
{
    return path.substr(path.rfind('/') + 1);
}

std::string_view relativeTo(const Root& root, std::string_view path)
{
    const std::size_t skipped = root.path == "/" ? 1 : root.path.size() + 1;
    return path.size() <= skipped ? std::string_view() : path.substr(skipped);
}

} // namespace revet::supervisor
