// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/attributes.h"

#include <algorithm>
#include <string_view>

#include <sys/xattr.h>

namespace revet::workspace {

namespace {

/// "/proc/self/fd/N" itself: the link is the way to an open object, so it is followed.
bool isProcLink(std::string_view path)
{
    constexpr std::string_view kPrefix = "/proc/self/fd/";
    return path.starts_with(kPrefix) && path.substr(kPrefix.size()).find('/') == std::string_view::npos;
}

} // namespace

std::vector<Attribute> readAttributes(const std::string& path)
{
    constexpr std::size_t kMaximumList = 65536; // XATTR_LIST_MAX
    const bool follows = isProcLink(path);
    const auto list = follows ? ::listxattr : ::llistxattr;
    const auto get = follows ? ::getxattr : ::lgetxattr;
    std::vector<Attribute> attributes;
    const ssize_t size = list(path.c_str(), nullptr, 0);
    if (size <= 0) {
        return attributes;
    }
    std::string names(std::min(static_cast<std::size_t>(size) + 256, kMaximumList), '\0');
    const ssize_t length = list(path.c_str(), names.data(), names.size());
    std::string value(65536, '\0'); // XATTR_SIZE_MAX
    for (ssize_t i = 0; i < length;) {
        Attribute attribute{std::string(names.data() + i), {}};
        i += static_cast<ssize_t>(attribute.name.size()) + 1;
        const ssize_t got = get(path.c_str(), attribute.name.c_str(), value.data(), value.size());
        if (got >= 0) {
            attribute.value = value.substr(0, static_cast<std::size_t>(got));
            attributes.push_back(std::move(attribute));
        }
    }
    return attributes;
}

bool setAttribute(int file, const Attribute& attribute)
{
    return ::fsetxattr(file, attribute.name.c_str(), attribute.value.data(), attribute.value.size(), 0) == 0;
}

} // namespace revet::workspace
