// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/resolver.h"

#include "engine/supervisor/place.h"
#include "engine/supervisor/proc_link.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace revet::supervisor {
namespace {

constexpr std::size_t kRememberedMaximum = 32768; // some 8 MiB
constexpr int kTries = 3;
constexpr int kMostLinks = 8;

/// Only inside the box's inner namespaces, so neither the outer root nor the host can tell about them.
constexpr std::array<std::string_view, 5> kInnerOnly{"/proc", "/dev/pts", "/dev/ptmx", "/dev/tty",
                                                     "/dev/mqueue"};

[[nodiscard]] UniqueFd openInside(int root, const std::string& path, std::uint64_t flags,
                                  std::uint64_t resolve)
{
    open_how how{};
    how.flags = O_PATH | O_CLOEXEC | flags;
    how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | resolve;
    UniqueFd object;
    // EAGAIN: something on the way was renamed during the walk.
    for (int i = 0; i < kTries && !object; ++i) {
        object.reset(static_cast<int>(::syscall(SYS_openat2, root, path.c_str(), &how, sizeof how)));
        if (!object && errno != EAGAIN) {
            break;
        }
    }
    return object;
}

[[nodiscard]] std::string pathOf(int object)
{
    std::array<char, PATH_MAX> path{};
    const std::string link = "/proc/self/fd/" + std::to_string(object);
    const ssize_t size = ::readlink(link.c_str(), path.data(), path.size());
    return size < 0 ? std::string() : std::string(path.data(), static_cast<std::size_t>(size));
}

[[nodiscard]] bool mayRead(const struct stat& status)
{
    return status.st_uid == ::geteuid() ? (status.st_mode & S_IRUSR) != 0
                                        : (status.st_mode & (S_IRGRP | S_IROTH)) != 0;
}

} // namespace

std::string normalized(std::string_view absolutePath)
{
    std::string clean;
    clean.reserve(absolutePath.size());
    while (!absolutePath.empty()) {
        const std::size_t slash = std::min(absolutePath.find('/'), absolutePath.size());
        const std::string_view component = absolutePath.substr(0, slash);
        absolutePath.remove_prefix(std::min(slash + 1, absolutePath.size()));
        if (component == "..") {
            clean.resize(clean.empty() ? 0 : clean.rfind('/'));
        } else if (!component.empty() && component != ".") {
            clean += '/';
            clean += component;
        }
    }
    return clean.empty() ? "/" : clean;
}

Resolver::Resolver(const BoxView& box, const HostView& host, const TreeGeneration& generation)
    : m_box(box)
    , m_host(host)
    , m_generation(generation)
{
}

Result<std::string> Resolver::claimedPath(Target& target, const PathArgument& argument) const
{
    if (argument.isDescriptor) {
        return target.descriptorPath(argument.directory);
    }
    std::string path;
    if (argument.path.starts_with('/')) {
        path = argument.path;
    } else {
        REVET_ASSIGN_OR_RETURN(path,
                               argument.directory == AT_FDCWD ? target.workingDirectory()
                                                              : target.descriptorPath(argument.directory));
        path.reserve(path.size() + 1 + argument.path.size());
        path.append("/").append(argument.path);
    }
    for (int links = 0; links < kMostLinks; ++links) {
        const std::optional<ProcLink> link = procLinkIn(path);
        if (!link) {
            break;
        }
        Result<std::string> next = followed(target, *link);
        if (!next && link->isOwn()) {
            return next;
        }
        if (!next) {
            break; // another process's pipe, or one that may not be looked at
        }
        path = *std::move(next);
    }
    return path;
}

const Sighting& Resolver::lookForReading(const std::string& claimed)
{
    const std::uint64_t generation = m_generation.value();
    const auto known = m_remembered.find(claimed);
    if (known != m_remembered.end()
        && (known->second.generation == 0 || known->second.generation == generation)) {
        return known->second.sighting;
    }
    Sighting sighting = look(claimed, LastComponent::Follow).sighting;
    // Unreachable may mean that we had no descriptor left.
    const bool isFixedHere
        = isFixed(claimed) && isFixed(sighting.path) && sighting.state != Sighting::State::Unreachable;
    // What is not there may be made at any time; what is there moves only with a new generation.
    if (!isFixedHere && (sighting.state != Sighting::State::Exists || !m_generation.isSettled())) {
        m_passing = std::move(sighting);
        return m_passing;
    }
    if (m_remembered.size() >= kRememberedMaximum) {
        m_remembered.clear();
    }
    Remembered& remembered = m_remembered[claimed];
    remembered = {std::move(sighting), isFixedHere ? 0 : generation};
    return remembered.sighting;
}

Resolver::Look Resolver::look(const std::string& claimed, LastComponent last) const
{
    const bool isInner = std::any_of(kInnerOnly.begin(), kInnerOnly.end(),
                                     [&](std::string_view place) { return isAtOrBelow(claimed, place); });
    if (isInner) {
        return {{Sighting::State::Exists, normalized(claimed), 0, true, 0}, {}};
    }
    const std::uint64_t flags = last == LastComponent::Keep ? O_NOFOLLOW : 0;
    const int root = m_box.outerRoot.get();
    // Without links on the way the claim is the path, and need not be asked for.
    UniqueFd object = openInside(root, claimed, flags, RESOLVE_NO_SYMLINKS);
    std::string path;
    if (object) {
        path = normalized(claimed);
    } else if (errno == ELOOP) {
        object = openInside(root, claimed, flags, 0);
        path = object ? pathOf(object.get()) : std::string();
    }
    if (!object) {
        return {missing(claimed, errno), {}};
    }
    struct stat status
    {
    };
    if (path.empty() || ::fstat(object.get(), &status) < 0) {
        return {missing(claimed, EACCES), {}};
    }
    return {{Sighting::State::Exists, std::move(path), status.st_mode, mayRead(status), 0},
            std::move(object)};
}

const Root* Resolver::rootOf(std::string_view canonical) const
{
    const auto root = std::find_if(m_box.roots.begin(), m_box.roots.end(),
                                   [&](const Root& each) { return isAtOrBelow(canonical, each.path); });
    return root == m_box.roots.end() ? nullptr : &*root;
}

Sighting Resolver::missing(const std::string& claimed, int errnoValue) const
{
    Sighting sighting;
    sighting.path = normalized(claimed);
    sighting.errnoValue = errnoValue;
    if (errnoValue != ENOENT && errnoValue != ENOTDIR) {
        sighting.state = Sighting::State::Unreachable;
    } else if (!isShared(sighting.path) && m_host.has(sighting.path)) {
        sighting.state = Sighting::State::Withheld;
    }
    return sighting;
}

bool Resolver::isShared(std::string_view path) const
{
    return std::any_of(m_box.sharedPrefixes.begin(), m_box.sharedPrefixes.end(),
                       [&](const std::string& prefix) { return isAtOrBelow(path, prefix); });
}

/// Below a tree that is the host's own and read-only in the box: all shared ones but the roots.
bool Resolver::isFixed(std::string_view path) const
{
    return isShared(path) && rootOf(path) == nullptr;
}

} // namespace revet::supervisor
