// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/doctor_machine.h"

#include "engine/os/pidfd.h"
#include "engine/session/box.h"
#include "engine/session/closed_directory.h"
#include "engine/session/doctor_probes.h"
#include "engine/session/doctor_process.h"
#include "engine/session/doctor_world.h"
#include "engine/session/text_file.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include <sys/utsname.h>
#include <unistd.h>

namespace revet::session {

namespace {

using launcher::StepKind;
using Status = DoctorCheck::Status;

std::optional<long> readSetting(const std::string& path)
{
    const auto text = readText(path);
    return text ? std::optional<long>(std::strtol(text->c_str(), nullptr, 10)) : std::nullopt;
}

/// A box with nothing in it. By revet-launch itself: a permission of AppArmor's is one program's own.
Result<void> buildBox(const Installation& installation, const std::vector<launcher::Step>& parts)
{
    launcher::Plan plan;
    plan.outer = {{StepKind::OuterNamespaces, {}, {}, {}, 0}, {StepKind::EmptyRoot, {}, {}, {}, 0}};
    plan.outer.insert(plan.outer.end(), parts.begin(), parts.end());
    plan.outer.push_back({StepKind::ShareRoot, {}, {}, {}, 0});
    plan.init = {{StepKind::InnerMounts, {}, {}, {}, 0}};
    REVET_ASSIGN_OR_RETURN(auto box, Box::start((installation.libexec / "revet-launch").string()));
    REVET_RETURN_IF_ERROR(box.build(std::move(plan)));
    REVET_ASSIGN_OR_RETURN(const auto root, box.waitUntilReady());
    return {};
}

DoctorCheck checkNamespaces(const Installation& installation)
{
    const auto built = buildBox(installation, {});
    if (built) {
        return {"user namespaces", Status::Ok, "an ordinary user can make them and mount in them", {}};
    }
    const NamespaceSettings settings{readSetting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns"),
                                     readSetting("/proc/sys/kernel/unprivileged_userns_clone"),
                                     readSetting("/proc/sys/user/max_user_namespaces")};
    Error seen = built.error();
    seen.context.clear();
    return {"user namespaces", Status::Unavailable, toString(seen),
            namespaceRemedy(seen.errnoValue, settings, (installation.libexec / "revet-launch").string())};
}

DoctorCheck checkOverlay(const Places& places, const Installation& installation)
{
    DoctorCheck check{"layers (overlayfs)", Status::Limited, {}, {}};
    const auto world = DoctorWorld::create(places.cache);
    Result<void> built = world ? Result<void>() : fail(world.error());
    if (built) {
        const auto upper = makeClosedDirectory(world->root() / "layer", "upper");
        built = upper ? makePrivateDirectory(world->root() / "layer/work") : fail(upper.error());
    }
    if (built) {
        const std::string layer = world->root() / "layer";
        built = buildBox(installation, {{StepKind::Overlay, world->project(), "/layered", layer, 0}});
    }
    if (built) {
        return {check.name, Status::Ok, "in a user namespace, on the file system of your cache", {}};
    }
    Error seen = built.error();
    seen.context.clear();
    check.detail = toString(seen) + "; the container tier and private caches need them";
    check.remedy = "keep Revet's data and cache on ext4, xfs or btrfs (XDG_DATA_HOME, XDG_CACHE_HOME)";
    return check;
}

/// What the kernel must have, tried by the probe program.
std::vector<DoctorCheck> checkCalls(const Installation& installation)
{
    const auto output = outputOf({(installation.libexec / "revet-probe").string(), "machine"});
    if (!output) {
        return {{"probe program", Status::Unavailable, toString(output.error()), "install Revet again"}};
    }
    std::vector<DoctorCheck> checks = parseProbeOutput(*output);
    for (DoctorCheck& check : checks) {
        if (check.status == Status::Unavailable) {
            check.remedy = "use Linux 6.1 or later, and no outer container that forbids this call";
        }
    }
    return checks;
}

DoctorCheck checkExitStatus(const Installation& installation)
{
    DoctorCheck check{"exit status of every process", Status::Limited,
                      "how a process ended is known only of the session's command",
                      "Linux 6.15 or later tells it of all"};
    const std::string probe = installation.libexec / "revet-probe";
    auto process = DoctorProcess::start({{probe, "wait"}, {}, {}});
    if (!process) {
        check.detail = toString(process.error());
        return check;
    }
    process->kill();
    constexpr std::chrono::seconds kPatience{5};
    const int seen = process->wait(kPatience);
    if (const auto told = os::waitStatusOf(process->handle()); told && seen != -1 && *told == seen) {
        return {check.name, Status::Ok, "the kernel tells it, signals included", {}};
    }
    return check;
}

/// Whether limits could be set on a group of processes rather than on each of them.
DoctorCheck checkControlGroups()
{
    DoctorCheck check{"control groups (v2)", Status::Limited, {}, {}};
    const auto own = readText("/proc/self/cgroup");
    const std::size_t start = own ? own->find("0::/") : std::string::npos;
    if (start == std::string::npos || ::access("/sys/fs/cgroup/cgroup.controllers", R_OK) != 0) {
        check.detail = "none; limits could only be set process by process";
        check.remedy = "boot with systemd's unified hierarchy";
        return check;
    }
    const std::size_t path = start + 3;
    const std::string group = "/sys/fs/cgroup" + own->substr(path, own->find('\n', path) - path);
    if (::access(group.c_str(), W_OK) != 0 || ::access((group + "/cgroup.procs").c_str(), W_OK) != 0) {
        check.detail = "none is yours; limits could only be set process by process";
        check.remedy = "log in through systemd, which gives every user a group";
        return check;
    }
    return {check.name, Status::Ok, "this user has one", {}};
}

} // namespace

std::string namespaceRemedy(int errnoValue, const NamespaceSettings& settings, const std::string& launcher)
{
    if (errnoValue == ENOSPC) {
        return "raise the limit: sysctl user.max_user_namespaces=15000 (it is "
            + (settings.maximum ? std::to_string(*settings.maximum) : std::string("not readable")) + ")";
    }
    if (errnoValue != EPERM && errnoValue != EACCES) {
        return "use a kernel with user namespaces (CONFIG_USER_NS)";
    }
    if (settings.apparmorRestriction.value_or(0) != 0) {
        return "kernel.apparmor_restrict_unprivileged_userns is on: give " + launcher
            + " an AppArmor profile with \"userns,\" (flags=(unconfined)), which permits it to this program "
              "alone; switching the setting off would permit it to all";
    }
    if (settings.unprivilegedClone && *settings.unprivilegedClone == 0) {
        return "permit them: sysctl kernel.unprivileged_userns_clone=1";
    }
    return "something around this system forbids them (an outer container, a security module); run Revet "
           "outside of it";
}

DoctorCheck checkKernel(const std::string& release)
{
    char* rest = nullptr;
    const long major = std::strtol(release.c_str(), &rest, 10);
    const long minor = *rest == '.' ? std::strtol(rest + 1, nullptr, 10) : 0;
    const bool isNewEnough = major > 6 || (major == 6 && minor >= 1);
    return {"kernel", isNewEnough ? Status::Ok : Status::Unavailable, "Linux " + release,
            isNewEnough ? "" : "use Linux 6.1 or later"};
}

DoctorCheck checkTraceScope(std::optional<long> scope)
{
    const std::string name = "reading of arguments (Yama)";
    constexpr long kNobody = 3;
    if (!scope || *scope < kNobody) {
        return {name, Status::Ok, scope ? "ptrace_scope is " + std::to_string(*scope) : "no Yama here", {}};
    }
    return {name, Status::Unavailable, "ptrace_scope is 3: nobody may look at another process",
            "set kernel.yama.ptrace_scope to 2 or less and restart, since 3 cannot be taken back"};
}

std::vector<DoctorCheck> checkMachine(const Places& places, const Installation& installation)
{
    utsname names{};
    std::vector<DoctorCheck> checks{checkKernel(::uname(&names) == 0 ? names.release : "")};
    checks.push_back(checkNamespaces(installation));
    checks.push_back(checkOverlay(places, installation));
    for (DoctorCheck& check : checkCalls(installation)) {
        checks.push_back(std::move(check));
    }
    checks.push_back(checkTraceScope(readSetting("/proc/sys/kernel/yama/ptrace_scope")));
    checks.push_back(checkControlGroups());
    checks.push_back(checkExitStatus(installation));
    return checks;
}

} // namespace revet::session
