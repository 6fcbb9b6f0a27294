// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/live_grants.h"

#include "engine/base/log.h"
#include "engine/domain/display_escape.h"
#include "engine/policy/host_pattern.h"
#include "engine/session/grantable_path.h"
#include "engine/session/mount_holders.h"
#include "engine/session/project_finder.h"
#include "engine/tiers/system_view.h"

#include <algorithm>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace revet::session {

using launcher::Errand;

namespace {

/// Between two tries to take away what cannot be, at last.
constexpr std::chrono::seconds kLongestPause{60};

bool isDue(const std::optional<std::chrono::microseconds>& left)
{
    return left && *left <= std::chrono::microseconds(0);
}

} // namespace

bool LiveGrants::isAbout(AskKind kind)
{
    switch (kind) {
    case AskKind::Destination:
    case AskKind::Brake:
    case AskKind::RunLater:
        return false;
    case AskKind::Path:
    case AskKind::PathWrite:
    case AskKind::HostPort:
    case AskKind::Publish:
    case AskKind::Socket:
        break;
    }
    return true;
}

Result<void> LiveGrants::apply(const std::vector<Grant>& grants, std::int64_t asked)
{
    const WallTime now = m_parts.clock.now();
    const auto holds = [&](std::int64_t id) {
        return std::ranges::any_of(grants, [&](const Grant& grant) {
            return grant.id == id && grant.isAllowed && grant.isInForce(now);
        });
    };
    Result<void> ofAsked;
    for (auto given = m_given.begin(); given != m_given.end();) {
        const bool isWaiting = given->second.again && !isDue(until(given->second));
        // A person who asks for something may well ask for that place.
        const bool isOver = !holds(given->first) && (!isWaiting || asked != 0);
        const Result<void> withdrawn = isOver ? withdraw(given->second) : Result<void>();
        if (!withdrawn && given->first == asked) {
            ofAsked = withdrawn;
        }
        given = isOver && withdrawn ? m_given.erase(given) : std::next(given);
    }
    for (const Grant& grant : grants) {
        if (!isAbout(grant.kind) || !holds(grant.id) || m_given.contains(grant.id)) {
            continue;
        }
        const Result<void> given = giveAndTell(grant);
        if (!given && grant.id == asked) {
            ofAsked = given;
        }
    }
    return ofAsked;
}

Result<void> LiveGrants::giveAndTell(const Grant& grant)
{
    Result<Withdrawal> given = give(grant);
    if (!given) {
        if (m_refused.insert(grant.id).second) {
            tell(grant, Verdict::Denied, Reach::None,
                 "grant " + grant.name() + ": " + toString(given.error()));
        }
        return fail(given.error());
    }
    m_refused.erase(grant.id);
    m_given.emplace(grant.id, Given{grant, *std::move(given)});
    tell(grant, Verdict::Permitted, Reach::Machine, "grant " + grant.name());
    return {};
}

void LiveGrants::withdrawOver()
{
    for (auto given = m_given.begin(); given != m_given.end();) {
        const bool isGone = isDue(until(given->second)) && withdraw(given->second).has_value();
        given = isGone ? m_given.erase(given) : std::next(given);
    }
}

Result<void> LiveGrants::withdraw(Given& given)
{
    const Result<std::string> withdrawn = given.withdraw();
    const bool isToldAlready = given.again.has_value();
    if (!withdrawn) {
        given.again = m_parts.clock.steadyNow() + given.pause;
        given.pause = std::min(2 * given.pause, kLongestPause);
    }
    if (!withdrawn && isToldAlready) {
        return fail(withdrawn.error());
    }
    if (!withdrawn) {
        log(LogLevel::Error, "session",
            "take back the grant " + given.grant.name() + ": " + toString(withdrawn.error()));
    }
    tell(given.grant, withdrawn ? Verdict::Permitted : Verdict::Failed, Reach::None,
         "grant " + given.grant.name()
             + (!withdrawn               ? " is over, but could not be taken away"
                    : withdrawn->empty() ? " is over"
                                         : " is over; still open in " + *withdrawn));
    return withdrawn.map([](const std::string&) {});
}

std::optional<std::chrono::microseconds> LiveGrants::until(const Given& given) const
{
    if (given.again) {
        return std::chrono::ceil<std::chrono::microseconds>(*given.again - m_parts.clock.steadyNow());
    }
    return given.grant.expires ? std::optional(*given.grant.expires - m_parts.clock.now()) : std::nullopt;
}

std::optional<std::chrono::microseconds> LiveGrants::untilNext() const
{
    std::optional<std::chrono::microseconds> next;
    for (const auto& [id, given] : m_given) {
        if (const auto left = until(given)) {
            next = std::min(next.value_or(std::chrono::microseconds::max()), *left);
        }
    }
    return next;
}

Result<LiveGrants::Withdrawal> LiveGrants::give(const Grant& grant)
{
    switch (grant.kind) {
    case AskKind::Path:
    case AskKind::PathWrite:
        return show(grant);
    case AskKind::HostPort:
    case AskKind::Publish:
        return openPort(grant);
    case AskKind::Socket:
        return relay(grant);
    case AskKind::Destination:
    case AskKind::Brake:
    case AskKind::RunLater:
        break;
    }
    return fail(ErrorCode::Malformed, "give the box " + grant.name());
}

bool LiveGrants::isGiven(AskKind kind, const std::string& target) const
{
    return std::ranges::any_of(m_given, [&](const auto& given) {
        return given.second.grant.kind == kind && given.second.grant.target == target;
    });
}

Result<LiveGrants::Withdrawal> LiveGrants::openPort(const Grant& grant)
{
    REVET_ASSIGN_OR_RETURN(const auto parsed, policy::parsePort(':' + grant.target));
    const std::uint16_t port = *parsed; // behind a colon there is one
    REVET_ASSIGN_OR_RETURN(ForwardedPorts* const ports, m_parts.ports());
    if (isGiven(grant.kind, grant.target)) {
        return fail(ErrorCode::Conflict, "open the port " + grant.target, "another grant has done that");
    }
    ForwardedPorts::Door door;
    if (grant.kind == AskKind::HostPort) {
        REVET_ASSIGN_OR_RETURN(door, ports->openHostPort(port));
    } else {
        REVET_ASSIGN_OR_RETURN(auto published, ports->publish(port, m_parts.recorder));
        door = std::move(published.door);
    }
    return Withdrawal([ports, door] {
        ports->close(door);
        return Result<std::string>();
    });
}

Result<LiveGrants::Withdrawal> LiveGrants::relay(const Grant& grant)
{
    REVET_ASSIGN_OR_RETURN(ForwardedPorts* const ports, m_parts.ports());
    if (isGiven(grant.kind, grant.target)) {
        return fail(ErrorCode::Conflict, "relay " + displayQuoted(grant.target),
                    "another grant has done that");
    }
    std::vector<std::string> changeable = m_parts.spec.sideRoots;
    changeable.push_back(m_parts.spec.project);
    changeable.insert(changeable.end(), m_written.begin(), m_written.end());
    for (const tiers::VisiblePath& shown : m_parts.spec.visible) {
        if (shown.access == tiers::VisiblePath::Access::ReadWrite) {
            changeable.push_back(shown.host);
        }
    }
    REVET_ASSIGN_OR_RETURN(auto sockets,
                           makeRelayedSockets({grant.target}, m_parts.directory, changeable, m_parts.places,
                                              grant.name() + '-'));
    const std::string ours = sockets.front().ours;
    auto unmount = mountRelay(grant.target, ours);
    if (!unmount) {
        ::unlink(ours.c_str());
        return fail(unmount.error());
    }
    const ForwardedPorts::Door door = ports->relay(std::move(sockets.front()));
    return Withdrawal([ports, door, unmount = *std::move(unmount), ours] {
        ports->close(door);
        ::unlink(ours.c_str());
        return unmount();
    });
}

Result<LiveGrants::Withdrawal> LiveGrants::mountRelay(const std::string& target, const std::string& ours)
{
    const UniqueFd object(::open(ours.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat status = {};
    if (!object || ::fstat(object.get(), &status) != 0) {
        return failErrno("look at " + ours);
    }
    std::error_code problem;
    const auto path = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(object.get()), problem);
    if (problem) {
        return fail(Error::fromErrno("look at " + ours, problem.value()));
    }
    Errand errand;
    errand.kind = Errand::Kind::Mount;
    errand.isReadOnly = false; // connect(2) wants to write
    errand.source = path.string(); // through no link
    errand.target = target;
    errand.device = status.st_dev;
    errand.inode = status.st_ino;
    m_parts.granted.addSocket({target, status.st_dev, status.st_ino});
    return mount(std::move(errand));
}

Result<LiveGrants::Withdrawal> LiveGrants::show(const Grant& grant)
{
    REVET_ASSIGN_OR_RETURN(const auto hidden, m_parts.hidden());
    REVET_ASSIGN_OR_RETURN(const GrantablePath path,
                           grantablePath(grant.target, m_parts.spec.home, m_parts.places, hidden));
    if (grant.kind == AskKind::PathWrite) {
        REVET_ASSIGN_OR_RETURN(const auto runLater, m_parts.runLater());
        REVET_RETURN_IF_ERROR(checkWritable(path.path, m_parts.spec.home, runLater));
    }
    REVET_RETURN_IF_ERROR(checkRoom(path.path));
    m_parts.granted.add(path.path); // before the box can meet a socket there
    Errand errand;
    errand.kind = Errand::Kind::Mount;
    errand.isReadOnly = grant.kind == AskKind::Path;
    errand.source = errand.target = path.path;
    errand.device = path.device;
    errand.inode = path.inode;
    if (!errand.isReadOnly) {
        m_written.push_back(path.path);
    }
    return mount(std::move(errand));
}

Result<LiveGrants::Withdrawal> LiveGrants::mount(Errand errand)
{
    REVET_RETURN_IF_ERROR(m_parts.errands.run(errand));
    m_parts.treeChanged();
    return Withdrawal([this, errand = std::move(errand)]() -> Result<std::string> {
        const pid_t init = m_parts.init();
        const auto mount = mountInBox(init, errand);
        Errand back;
        back.kind = Errand::Kind::Unmount;
        back.target = errand.target;
        REVET_RETURN_IF_ERROR(m_parts.errands.run(back));
        m_parts.treeChanged();
        return mount ? holdersOf(init, *mount) : std::string();
    });
}

Result<void> LiveGrants::checkRoom(const std::string& path) const
{
    const tiers::BoxSpec& spec = m_parts.spec;
    const auto refuse = [&path](const std::string& why) {
        return fail(ErrorCode::Refused, "show " + displayQuoted(path), why);
    };
    for (const auto& [id, given] : m_given) {
        const bool isPath = given.grant.kind == AskKind::Path || given.grant.kind == AskKind::PathWrite;
        const bool meets = (isPath && isWithin(path, given.grant.target))
            || ((isPath || given.grant.kind == AskKind::Socket) && isWithin(given.grant.target, path));
        if (meets) {
            return refuse("the grant " + given.grant.name() + " is about " + displayQuoted(given.grant.target)
                          + " already; revoke that first");
        }
    }
    std::vector<std::string> own = spec.sideRoots;
    own.push_back(spec.project);
    for (const std::string& root : own) {
        if (isWithin(path, root)) {
            return refuse("it is in the project, whose rules hold there; --unhide shows a hidden file of it");
        }
    }
    for (const std::string& system : tiers::sharedSystemPrefixes()) {
        if (isWithin(path, system)) {
            return refuse("the system's own directories are as they are in every box");
        }
    }
    own.insert(own.end(), {spec.home, "/etc", "/proc", "/sys", "/run", "/tmp", "/var/tmp", "/dev/shm"});
    for (const auto* visible : {&spec.visible, &spec.sockets}) {
        for (const tiers::VisiblePath& shown : *visible) {
            own.push_back(shown.inBox.empty() ? shown.host : shown.inBox);
        }
    }
    for (const tiers::CacheLayer& cache : spec.caches) {
        own.push_back(cache.host);
    }
    for (const tiers::SharedDirectory& shared : spec.shared) {
        own.push_back(shared.inBox);
    }
    for (const std::string& place : own) {
        if (isWithin(place, path)) {
            return refuse("the box has " + displayQuoted(place) + " there, which it would cover");
        }
    }
    if (isWithin(path, "/proc") || isWithin(path, "/sys") || isWithin(path, "/dev")) {
        return refuse("the kernel's own places are no files");
    }
    return {};
}

void LiveGrants::tell(const Grant& grant, Verdict verdict, Reach reach, const std::string& rule)
{
    m_parts.recorder.note({ActionKind::Session, verdict, reach, grant.target, {}, rule, 0, 0});
}

} // namespace revet::session
