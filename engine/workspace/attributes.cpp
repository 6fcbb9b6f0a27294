// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/attributes.h"

#include "engine/base/unique_fd.h"
#include "engine/workspace/access_lists.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <linux/limits.h>
#include <sys/xattr.h>

namespace revet::workspace {

namespace {

bool isMissing(int error)
{
    return error == ENODATA || error == ENOTSUP;
}

/// The way to an object. The kernel takes no O_PATH descriptor for these calls, but the link of procfs to the
/// object, whatever that is; such a link is followed, and no other one.
class Way
{
public:
    explicit Way(int directory, const std::string& below = {})
        : m_path(directory == AT_FDCWD ? below : "/proc/self/fd/" + std::to_string(directory))
        , m_isFollowed(below.empty())
    {
        if (directory != AT_FDCWD && !below.empty()) {
            m_path += '/' + below;
        }
    }
    [[nodiscard]] Result<std::vector<std::string>> names() const
    {
        const auto read = [this](char* to, std::size_t size) {
            return (m_isFollowed ? ::listxattr : ::llistxattr)(m_path.c_str(), to, size);
        };
        REVET_ASSIGN_OR_RETURN(const auto list, whole("list extended attributes", XATTR_LIST_MAX, read));
        std::vector<std::string> names;
        for (std::size_t at = 0; list && at < list->size(); at += names.back().size() + 1) {
            names.emplace_back(list->c_str() + at);
        }
        return names;
    }
    [[nodiscard]] Result<std::optional<std::string>> value(const std::string& name) const
    {
        const auto read = [&](char* to, std::size_t size) {
            return (m_isFollowed ? ::getxattr : ::lgetxattr)(m_path.c_str(), name.c_str(), to, size);
        };
        return whole("read the extended attribute " + name, XATTR_SIZE_MAX, read);
    }
    [[nodiscard]] int set(const std::string& name, const std::string& value) const
    {
        return ::setxattr(m_path.c_str(), name.c_str(), value.data(), value.size(), 0);
    }
    [[nodiscard]] int remove(const std::string& name) const
    {
        return ::removexattr(m_path.c_str(), name.c_str());
    }

private:
    /// Most have none, and most values are short.
    template<typename Read>
    static Result<std::optional<std::string>> whole(const std::string& what, std::size_t most, Read read)
    {
        std::string bytes(std::size_t{128}, '\0');
        ssize_t size = read(bytes.data(), bytes.size());
        if (size < 0 && errno == ERANGE) {
            bytes.resize(most);
            size = read(bytes.data(), bytes.size());
        }
        if (size < 0) {
            return isMissing(errno) ? Result<std::optional<std::string>>(std::nullopt) : failErrno(what);
        }
        bytes.resize(static_cast<std::size_t>(size));
        return std::optional(std::move(bytes));
    }

    std::string m_path;
    bool m_isFollowed;
};

Result<std::optional<std::string>> valueAt(int directory, const std::string& path, const std::string& name)
{
    if (!areAccessListsKept() || !isAccessList(name)) {
        return Way(directory, path).value(name);
    }
    const UniqueFd object(path.empty() ? -1
                                       : ::openat(directory, path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    return attributeOf(object ? object.get() : directory, name);
}

} // namespace

bool canBeSet(std::string_view name)
{
    return name.starts_with("user.") || isAccessList(name);
}

Result<std::vector<std::string>> attributeNames(int object)
{
    return Way(object).names();
}

Result<std::optional<std::string>> attributeOf(int object, const std::string& name)
{
    return areAccessListsKept() && isAccessList(name) ? keptAccessList(object, name)
                                                      : Way(object).value(name);
}

Result<void> changeAttribute(int object, const std::string& name, const std::optional<std::string>& value)
{
    if (areAccessListsKept() && isAccessList(name)) {
        return changeKeptAccessList(object, name, value);
    }
    const Way way(object);
    const int result = value ? way.set(name, *value) : way.remove(name);
    if (result != 0 && (value || !isMissing(errno))) {
        return failErrno("set the extended attribute " + name);
    }
    return {};
}

std::vector<Attribute> readAttributes(int directory, const std::string& path,
                                      bool (*isWanted)(std::string_view name))
{
    const Way way(directory, path);
    std::vector<Attribute> attributes;
    for (const std::string& name : way.names().value_or(std::vector<std::string>())) {
        if (isWanted != nullptr && !isWanted(name)) {
            continue;
        }
        if (auto value = valueAt(directory, path, name).value_or(std::nullopt)) {
            attributes.push_back({name, std::move(*value)});
        }
    }
    std::ranges::sort(attributes, {}, &Attribute::name);
    return attributes;
}

} // namespace revet::workspace
