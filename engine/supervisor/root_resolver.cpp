// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/root_resolver.h"

#include "engine/supervisor/granted_places.h"
#include "engine/supervisor/hard_links.h"
#include "engine/supervisor/proc_link.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace revet::supervisor {

namespace {

// RESOLVE_IN_ROOT gives EAGAIN when a rename anywhere crossed a ".." (openat2(2)).
constexpr int kRaceAttempts = 200;
constexpr int kLeaseAttempts = 8;
constexpr std::uint64_t kAboutDirectory = RESOLVE_BENEATH | RESOLVE_IN_ROOT | RESOLVE_NO_XDEV;
constexpr std::string_view kDeleted = " (deleted)";

UniqueFd openat2(int start, const std::string& text, std::uint64_t flags, mode_t mode, std::uint64_t resolve)
{
    struct open_how how = {};
    how.flags = flags | O_CLOEXEC;
    how.mode = mode;
    how.resolve = resolve;
    return UniqueFd(static_cast<int>(::syscall(SYS_openat2, start, text.c_str(), &how, sizeof how)));
}

tl::unexpected<Error> failWith(int errnoValue)
{
    return fail(Error::fromErrno("resolve a path", errnoValue));
}

/// Links of procfs that a path leads through. A race with the target's own change of directory decides no
/// more than which of both the path is resolved from, and by whom it is then judged.
std::string withLinksFollowed(Target& target, std::string path)
{
    constexpr int kMost = 8; // /proc/self/root/proc/self/root/…: the rest meets the read-only view
    for (int links = 0; links < kMost; ++links) {
        const auto link = procLinkIn(path);
        auto next = link && !link->rest.empty() ? followed(target, *link) : failWith(ENOENT);
        if (!next) {
            break;
        }
        path = *std::move(next);
    }
    return path;
}

bool isGone(Target& target, int directory)
{
    struct stat status = {};
    if (directory == AT_FDCWD) {
        const std::string link = "/proc/" + std::to_string(target.tid()) + "/cwd";
        return ::stat(link.c_str(), &status) != 0 || status.st_nlink == 0;
    }
    const auto duplicate = target.duplicateDescriptor(directory);
    return !duplicate || ::fstat(duplicate->get(), &status) != 0 || status.st_nlink == 0;
}

} // namespace

std::string throughProc(int fd)
{
    return "/proc/self/fd/" + std::to_string(fd);
}

Result<std::string> pathOfDescriptor(int fd)
{
    std::array<char, PATH_MAX> buffer{};
    const ssize_t length = ::readlink(throughProc(fd).c_str(), buffer.data(), buffer.size());
    if (length < 0) {
        return failErrno("read the path of a descriptor");
    }
    return std::string(buffer.data(), static_cast<std::size_t>(length));
}

Claim RootResolver::claimOf(std::string absolute) const
{
    return {m_box.outerRoot.get(), {}, std::move(absolute), RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS, {}};
}

Result<Claim> RootResolver::claim(Target& target, const PathArgument& argument, std::uint64_t resolve) const
{
    if (argument.path.empty()) {
        return failWith(ENOENT);
    }
    const auto fromRoot = [&](std::string text) {
        const bool followsMagic = (resolve & (RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS)) == 0;
        Claim claim = claimOf(followsMagic ? withLinksFollowed(target, std::move(text)) : std::move(text));
        claim.resolve |= resolve & RESOLVE_NO_SYMLINKS;
        const auto link = procLinkIn(claim.text);
        claim.descriptor = link ? link->ownDescriptor() : std::nullopt;
        return claim;
    };
    const bool isAboutDirectory = (resolve & kAboutDirectory) != 0;
    if (argument.path.front() == '/' && !isAboutDirectory) {
        return fromRoot(argument.path);
    }
    REVET_ASSIGN_OR_RETURN(std::string base,
                           argument.directory == AT_FDCWD ? target.workingDirectory()
                                                          : target.descriptorPath(argument.directory));
    if (!base.starts_with('/')) {
        return failWith(ENOTDIR);
    }
    std::string_view rest = argument.path;
    if (base.ends_with(kDeleted) && isGone(target, argument.directory)) {
        // The way up from a removed directory is still there.
        if (!rest.starts_with("../")) {
            return failWith(ENOENT);
        }
        base = parentOf(base);
        rest.remove_prefix(3);
    }
    if (!isAboutDirectory) {
        return fromRoot(std::move(base.append("/").append(rest)));
    }
    // The resolve flags bind the path to its directory, which then bounds it more tightly than the root.
    UniqueFd directory = openat2(m_box.outerRoot.get(), base, O_PATH | O_DIRECTORY, 0,
                                 RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
    if (!directory) {
        return failErrno("open a base directory");
    }
    std::uint64_t bounded = (resolve & ~std::uint64_t{RESOLVE_CACHED}) | RESOLVE_NO_MAGICLINKS;
    if ((bounded & (RESOLVE_BENEATH | RESOLVE_IN_ROOT)) == 0) {
        bounded |= RESOLVE_BENEATH; // NO_XDEV alone; leaving the directory has the same error
    }
    const int start = directory.get();
    return Claim{start, std::move(directory), std::string(rest), bounded, {}};
}

Result<UniqueFd> RootResolver::open(const Claim& claim, std::uint64_t flags, mode_t mode) const
{
    // EAGAIN is a race with a rename, or for a real open also a lease that is being broken.
    const int attempts = (flags & O_PATH) != 0 ? kRaceAttempts : kLeaseAttempts;
    for (int i = 0; i < attempts; ++i) {
        UniqueFd fd = openat2(claim.start, claim.text, flags, mode, claim.resolve);
        if (fd) {
            return fd;
        }
        if (errno != EAGAIN && errno != EINTR) {
            break;
        }
    }
    return failErrno("open a path of the box");
}

Result<Found> RootResolver::identify(UniqueFd object) const
{
    Found found;
    if (::fstat(object.get(), &found.status) != 0) {
        return failErrno("look at an object");
    }
    REVET_ASSIGN_OR_RETURN(found.path, pathOfDescriptor(object.get()));
    found.root = rootOf(found.path);
    found.object = std::move(object);
    return found;
}

Result<Found> RootResolver::object(const Claim& claim, LastLink lastLink) const
{
    const std::uint64_t flags = O_PATH | (lastLink == LastLink::Keep ? std::uint64_t{O_NOFOLLOW} : 0);
    REVET_ASSIGN_OR_RETURN(UniqueFd fd, open(claim, flags));
    return identify(std::move(fd));
}

Result<Found> RootResolver::behind(Target& target, int descriptor) const
{
    REVET_ASSIGN_OR_RETURN(UniqueFd duplicate, target.duplicateDescriptor(descriptor));
    struct stat status = {};
    if (::fstat(duplicate.get(), &status) != 0) {
        return failErrno("look at a descriptor");
    }
    Found found;
    found.status = status;
    found.object = std::move(duplicate);
    auto claimed = target.descriptorPath(descriptor);
    // No way leads from the box to where it is: the kernel calls that "/", or nothing at all.
    if ((!claimed || *claimed == "/") && S_ISREG(status.st_mode) && status.st_nlink > 0) {
        found.path = "a file that was removed";
        found.isAtPath = false;
        return found;
    }
    REVET_ASSIGN_OR_RETURN(std::string path, std::move(claimed));
    auto named = object(claimOf(path), LastLink::Keep);
    if (named && keyOf(named->status) == keyOf(status)) {
        return named;
    }
    if (path.ends_with(kDeleted)) {
        path.resize(path.size() - kDeleted.size());
    }
    found.root = rootOf(path);
    found.isAtPath = found.root == nullptr;
    found.path = std::move(path);
    return found;
}

Result<Place> RootResolver::place(const Claim& claim) const
{
    std::string_view text = claim.text;
    Place place;
    while (text.size() > 1 && text.back() == '/') {
        text.remove_suffix(1);
        place.hasTrailingSlash = true;
    }
    place.name = nameOf(text);
    if (place.name.empty() || place.name == "." || place.name == "..") {
        return failWith(EINVAL);
    }
    text.remove_suffix(place.name.size());
    Claim parent{claim.start, {}, text.empty() ? std::string(".") : std::string(text), claim.resolve, {}};
    REVET_ASSIGN_OR_RETURN(place.directory, open(parent, O_PATH | O_DIRECTORY));
    REVET_ASSIGN_OR_RETURN(place.directoryPath, pathOfDescriptor(place.directory.get()));
    if (place.directoryPath.ends_with(kDeleted)) {
        struct stat status = {};
        if (::fstat(place.directory.get(), &status) == 0 && status.st_nlink == 0) {
            return failWith(ENOENT);
        }
    }
    place.root = rootOf(place.directoryPath);
    return place;
}

const Root* RootResolver::rootOf(std::string_view canonical) const
{
    const Root* best = nullptr;
    for (const Root& root : m_box.roots) {
        if (isAtOrBelow(canonical, root.path) && (best == nullptr || root.path.size() > best->path.size())) {
            best = &root;
        }
    }
    return best;
}

bool RootResolver::isInHostPlace(std::string_view canonical) const
{
    if (m_box.granted && m_box.granted->holds(canonical)) {
        return true;
    }
    const Root* const root = rootOf(canonical);
    return std::any_of(m_box.hostPlaces.begin(), m_box.hostPlaces.end(), [&](const std::string& place) {
        return isAtOrBelow(canonical, place) && (root == nullptr || place.size() > root->path.size());
    });
}

bool RootResolver::resolvesInside(std::string_view directory, std::string_view text) const
{
    if (text.empty() || text.size() >= PATH_MAX) {
        return false;
    }
    std::string path
        = text.front() == '/' ? std::string(text) : std::string(directory) + '/' + std::string(text);
    while (path.size() > 1) {
        const auto found = object(claimOf(path), LastLink::Follow);
        if (found) {
            return found->root != nullptr;
        }
        if (found.error().errnoValue != ENOENT) {
            return false;
        }
        const std::string_view name = nameOf(path);
        // A dangling link, or a way up through what is not there: could become anything.
        if (name == ".." || object(claimOf(path), LastLink::Keep)) {
            return false;
        }
        path = parentOf(path);
    }
    return false;
}

std::optional<mode_t> RootResolver::likelyMode(const Claim& claim) const
{
    struct stat status = {};
    const bool isFromRoot = claim.start == m_box.outerRoot.get();
    const char* text = claim.text.c_str();
    while (isFromRoot && *text == '/') {
        ++text;
    }
    if (::fstatat(claim.start, *text == '\0' ? "." : text, &status, AT_NO_AUTOMOUNT) != 0) {
        return std::nullopt;
    }
    return status.st_mode;
}

} // namespace revet::supervisor
