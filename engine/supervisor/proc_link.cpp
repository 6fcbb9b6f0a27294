// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/proc_link.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <utility>
#include <vector>

namespace revet::supervisor {

namespace {

constexpr std::string_view kDescriptor = "fd/";

std::optional<int> numberIn(std::string_view text)
{
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool isNumber
        = error == std::errc() && end == text.data() + text.size() && !text.empty() && text.front() != '-';
    return isNumber ? std::optional(number) : std::nullopt;
}

/// The next name of a path that it is taken from; "" at its end.
std::string_view takeName(std::string_view& path)
{
    path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
    const std::string_view name = path.substr(0, path.find('/'));
    path.remove_prefix(name.size());
    return name;
}

/// "/dev/fd/3" is "/proc/self/fd/3".
std::vector<std::string_view> namesOfDevice(std::string_view& path)
{
    const std::string_view name = takeName(path);
    if (name == "fd") {
        return {"self", "fd"};
    }
    const std::array<std::pair<std::string_view, std::string_view>, 3> standard{
        {{"stdin", "0"}, {"stdout", "1"}, {"stderr", "2"}}};
    const auto* const found = std::ranges::find(standard, name, [](const auto& pair) { return pair.first; });
    return found == standard.end() ? std::vector<std::string_view>()
                                   : std::vector<std::string_view>{"self", "fd", found->second};
}

/// What the names below /proc are, all of them.
std::optional<ProcLink> linkOf(const std::vector<std::string_view>& names)
{
    // A thread has a directory by its own number, too.
    const std::size_t process = names.size() > 2 && names[1] == "task" ? 2 : 0;
    const std::size_t count = names.size() - process;
    const std::string_view last = names.empty() ? "" : names.back();
    if (count == 2 && (last == "cwd" || last == "root" || last == "exe")) {
        return ProcLink{std::string(names[process]), std::string(last), {}};
    }
    if (count == 3 && names[process + 1] == "fd" && numberIn(last)) {
        return ProcLink{std::string(names[process]), std::string(kDescriptor).append(last), {}};
    }
    return std::nullopt;
}

} // namespace

std::optional<int> ProcLink::ownDescriptor() const
{
    return isOwn() && rest.empty() && name.starts_with(kDescriptor)
        ? numberIn(name.substr(kDescriptor.size()))
        : std::nullopt;
}

std::optional<ProcLink> procLinkIn(std::string_view path)
{
    std::string_view top = takeName(path);
    while (top == ".") {
        top = takeName(path);
    }
    if (top != "proc" && top != "dev") {
        return std::nullopt;
    }
    std::vector<std::string_view> names
        = top == "dev" ? namesOfDevice(path) : std::vector<std::string_view>();
    if (top == "dev" && names.empty()) {
        return std::nullopt;
    }
    for (;;) {
        if (auto link = linkOf(names)) {
            link->rest = path;
            return link;
        }
        const std::string_view name = takeName(path);
        if (name.empty() || (name == ".." && names.empty())) {
            return std::nullopt;
        }
        if (name == "..") {
            names.pop_back();
        } else if (name != ".") {
            names.push_back(name);
        }
    }
}

Result<std::string> followed(Target& target, const ProcLink& link)
{
    const auto descriptor = ProcLink{link.process, link.name, {}}.ownDescriptor();
    Result<std::string> base = descriptor ? target.descriptorPath(*descriptor)
        : !link.isOwn()                   ? target.readLink("root/proc/" + link.process + '/' + link.name)
        : link.name == "cwd"              ? target.workingDirectory()
                                          : target.readLink(link.name);
    if (base && !base->starts_with('/')) {
        return fail(Error::fromErrno("follow a link of procfs", ENOTDIR));
    }
    return base && *base == "/" && !link.rest.empty() ? link.rest : base ? *base + link.rest : base;
}

} // namespace revet::supervisor
