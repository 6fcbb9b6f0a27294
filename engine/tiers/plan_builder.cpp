// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/tiers/plan_builder.h"

#include "engine/launcher/gateway.h"
#include "engine/tiers/compiled_filters.h"
#include "engine/tiers/system_view.h"
#include "engine/tiers/tier_backend.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <set>

namespace revet::tiers {

namespace {

using launcher::Plan;
using launcher::Step;
using launcher::StepKind;

std::string octal(mode_t mode)
{
    std::array<char, 16> text{};
    const int length = std::snprintf(text.data(), text.size(), "%o", static_cast<unsigned>(mode));
    return {text.data(), static_cast<std::size_t>(length)};
}

void addFiles(const BoxSpec& spec, Plan& plan)
{
    std::set<std::string> made;
    for (const auto& [path, content] : spec.files) {
        constexpr std::size_t kBehindEtc = 5;
        for (std::size_t slash = path.find('/', kBehindEtc); slash != std::string::npos;
             slash = path.find('/', slash + 1)) {
            if (const std::string directory = path.substr(0, slash); made.insert(directory).second) {
                plan.outer.push_back({StepKind::Directory, {}, directory, "755", 0});
            }
        }
        plan.outer.push_back({StepKind::File, {}, path, content, 0});
    }
}

void addHome(const BoxSpec& spec, Plan& plan)
{
    plan.outer.push_back({StepKind::Bind, spec.privateHome, spec.home, {}, 0});
    std::vector<VisiblePath> visible = spec.visible;
    // Parents before what lies below them, whatever order they were asked in.
    std::sort(visible.begin(), visible.end(),
              [](const VisiblePath& a, const VisiblePath& b) { return a.host < b.host; });
    for (const VisiblePath& path : visible) {
        const std::uint64_t flags
            = path.access == VisiblePath::Access::ReadOnly ? launcher::bind_flag::kReadOnly : 0;
        plan.outer.push_back({StepKind::Bind,
                              path.host,
                              path.inBox.empty() ? path.host : path.inBox,
                              {},
                              flags | launcher::bind_flag::kOptional});
    }
    for (const VisiblePath& socket : spec.sockets) {
        plan.outer.push_back({StepKind::Bind, socket.host, socket.inBox, {}, 0});
    }
    for (const SharedDirectory& directory : spec.shared) {
        plan.outer.push_back({StepKind::Bind, directory.host, directory.inBox, {}, 0});
    }
    for (const CacheLayer& cache : spec.caches) {
        plan.outer.push_back({StepKind::Overlay, cache.host, cache.host, cache.layer, 0});
    }
}

bool isBelow(const std::string& path, const std::string& directory)
{
    return path.size() > directory.size() + 1 && path.starts_with(directory) && path[directory.size()] == '/';
}

bool mounts(const Step& step)
{
    return step.kind == StepKind::Bind || step.kind == StepKind::Overlay
        || step.kind == StepKind::TemporaryFs;
}

/// Directories above a mount point that the box could rename, with all that is mounted below: everything is
/// judged and recorded by its path. Below a root the supervisor does the renaming.
void pinTheWay(const BoxSpec& spec, Plan& plan)
{
    std::vector<std::string> roots = spec.sideRoots;
    roots.push_back(spec.project);
    std::vector<std::string> writable;
    std::set<std::string> fixed;
    std::vector<Step> steps;
    for (Step& step : plan.outer) {
        for (std::size_t slash = mounts(step) ? step.target.find('/', 1) : std::string::npos;
             slash != std::string::npos; slash = step.target.find('/', slash + 1)) {
            const std::string above = step.target.substr(0, slash);
            const auto holdsIt = [&above](const std::string& place) { return isBelow(above, place); };
            if (std::ranges::any_of(writable, holdsIt) && std::ranges::none_of(roots, holdsIt)
                && fixed.insert(above).second) {
                steps.push_back({StepKind::Pin, {}, above, {}, 0});
            }
        }
        if (mounts(step)) {
            fixed.insert(step.target);
            if ((step.flags & launcher::bind_flag::kReadOnly) == 0) {
                writable.push_back(step.target);
            }
        }
        steps.push_back(std::move(step));
    }
    plan.outer = std::move(steps);
}

/// The mount points that are made in the private home itself, and not in something of the host's that is
/// shown in it: what an earlier box has put there must not hinder.
void clearTheWayInHome(const BoxSpec& spec, Plan& plan)
{
    for (std::size_t i = 0; i < plan.outer.size(); ++i) {
        Step& step = plan.outer[i];
        const auto shows = [&](const Step& earlier) {
            return mounts(earlier) && isBelow(step.target, earlier.target)
                && isBelow(earlier.target, spec.home);
        };
        if ((mounts(step) || step.kind == StepKind::Pin) && isBelow(step.target, spec.home)
            && std::none_of(plan.outer.begin(), plan.outer.begin() + static_cast<std::ptrdiff_t>(i), shows)) {
            step.flags |= launcher::bind_flag::kMovesAside;
        }
    }
}

void addMasks(const BoxSpec& spec, Plan& plan)
{
    for (const std::string& path : spec.masked) {
        std::error_code error;
        const bool isDirectory = std::filesystem::is_directory(path, error);
        plan.outer.push_back({StepKind::Bind,
                              isDirectory ? spec.emptyDirectory : spec.emptyFile,
                              path,
                              {},
                              launcher::bind_flag::kReadOnly});
    }
}

void addCommandSteps(const BoxSpec& spec, Plan& plan)
{
    const CompiledFilters filters = compiledFilters(spec.tier, spec.observe);
    plan.command = {
        {StepKind::FreshKeyring, {}, {}, {}, 0},
        {StepKind::Umask, {}, {}, octal(spec.fileModeMask), 0},
        {StepKind::DropCapabilities, {}, {}, {}, 0},
        {StepKind::NoNewPrivileges, {}, {}, {}, 0},
        {StepKind::LoadFilter, {}, "known", std::string(filters.known), 0},
        {StepKind::LoadFilter, {}, "judged", std::string(filters.judged), launcher::filter_flag::kListener},
        {StepKind::CloseDescriptors, {}, {}, {}, 0},
    };
}

} // namespace

Result<Plan> buildPlan(const BoxSpec& spec)
{
    REVET_ASSIGN_OR_RETURN(const TierBackend* backend, tierBackend(spec.tier));
    Plan plan;
    plan.outer = systemView();
    const std::vector<Step> account = accountView(spec);
    plan.outer.insert(plan.outer.end(), account.begin(), account.end());
    addFiles(spec, plan);
    if (spec.hasNetwork) { // early: part of it takes its time beside the rest
        plan.outer.push_back({StepKind::Gateway,
                              "/old/host/proc",
                              {},
                              spec.isNetworkOptional ? launcher::kOptionalGateway : "",
                              0});
    }
    plan.init = {{StepKind::InnerMounts, {}, {}, {}, 0},
                 {StepKind::Processes, {}, "/proc", {}, 0},
                 {StepKind::DetachHost, {}, "/old", {}, 0}};
    addHome(spec, plan);
    backend->addProject(spec, plan);
    pinTheWay(spec, plan);
    clearTheWayInHome(spec, plan);
    addMasks(spec, plan);
    for (const std::string& path : spec.removeAtEnd) {
        plan.outer.push_back({StepKind::RemoveAtEnd, {}, path, {}, 0});
    }
    plan.outer.push_back({StepKind::HideHost, {}, {}, {}, 0});
    plan.outer.push_back({StepKind::ShareRoot, {}, {}, {}, 0});
    const std::vector<Step> inner = {
        {StepKind::ReadOnly, {}, "/", {}, 0},       {StepKind::InnerUser, {}, {}, {}, 0},
        {StepKind::LimitNamespaces, {}, {}, {}, 0}, {StepKind::DropCapabilities, {}, {}, {}, 0},
        {StepKind::HideInit, {}, {}, {}, 0},
    };
    plan.init.insert(plan.init.end(), inner.begin(), inner.end());
    addCommandSteps(spec, plan);
    return plan;
}

} // namespace revet::tiers
