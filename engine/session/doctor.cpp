// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/doctor.h"

#include "engine/policy/settings.h"
#include "engine/session/account.h"
#include "engine/session/doctor_machine.h"
#include "engine/session/doctor_probes.h"
#include "engine/session/text_file.h"
#include "engine/session/tier_health.h"

#include <algorithm>
#include <cerrno>

namespace revet::session {

namespace {

using Status = DoctorCheck::Status;

Status worstOf(const std::vector<DoctorCheck>& checks)
{
    const auto worst
        = std::max_element(checks.begin(), checks.end(),
                           [](const DoctorCheck& a, const DoctorCheck& b) { return a.status < b.status; });
    return worst == checks.end() ? Status::Unavailable : worst->status;
}

void appendOr(std::vector<DoctorCheck>& checks, Result<std::vector<DoctorCheck>> more,
              const std::string& name)
{
    if (!more) {
        checks.push_back({name, Status::Unavailable, toString(more.error()), {}});
        return;
    }
    for (DoctorCheck& check : *more) {
        checks.push_back(std::move(check));
    }
}

TierReport examine(Tier tier, const Places& places, const Installation& installation)
{
    TierReport report;
    report.tier = tier;
    if (!isBuilt(tier)) {
        report.checks.push_back({"not built", Status::Unavailable, "not built in this version", {}});
        return report;
    }
    appendOr(report.checks, runTierProbes(tier, places, installation), "probes in a box");
    appendOr(report.checks, runKillProbe(tier, places, installation), "kill -9");
    report.status = worstOf(report.checks);
    return report;
}

void addFailures(std::vector<std::string>& names, const std::vector<DoctorCheck>& checks)
{
    for (const DoctorCheck& check : checks) {
        if (check.status == Status::Unavailable) {
            names.push_back(check.name);
        }
    }
}

/// What a session gets whose project says nothing.
Result<Tier> findDefaultTier(const Places& places)
{
    const std::filesystem::path file = places.config / "config.toml";
    const auto text = readText(file);
    if (!text) {
        return text.error().errnoValue == ENOENT ? Result<Tier>(Tier::Sandbox) : fail(text.error());
    }
    REVET_ASSIGN_OR_RETURN(const auto settings, policy::parseSettings(*text, file.string()));
    return settings.tier.value_or(Tier::Sandbox);
}

} // namespace

std::string_view toString(DoctorCheck::Status status)
{
    switch (status) {
    case Status::Ok:
        return "ok";
    case Status::Limited:
        return "limited";
    case Status::Unavailable:
        break;
    }
    return "unavailable";
}

Result<DoctorReport> runDoctor(const Places& places, const Installation& installation,
                               std::optional<Tier> only)
{
    REVET_ASSIGN_OR_RETURN(const auto account, findAccount(ownEnvironment())); // not for root
    REVET_RETURN_IF_ERROR(makePrivateDirectory(places.data));
    DoctorReport report;
    REVET_ASSIGN_OR_RETURN(report.defaultTier, only ? Result<Tier>(*only) : findDefaultTier(places));
    report.machine = checkMachine(places, installation);
    for (const Tier tier : kAllTiers) {
        if (only && tier != *only) {
            continue;
        }
        TierReport examined = examine(tier, places, installation);
        std::vector<std::string> failed;
        addFailures(failed, report.machine);
        addFailures(failed, examined.checks);
        if (isBuilt(tier)) {
            REVET_RETURN_IF_ERROR(storeHealth(currentHealth(tier, failed), places));
        }
        if (tier == report.defaultTier) {
            report.isDefaultTierUsable = failed.empty();
        }
        report.tiers.push_back(std::move(examined));
    }
    return report;
}

} // namespace revet::session
