// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/tier_health.h"

#include "engine/session/text_file.h"

#include <algorithm>
#include <cerrno>

#include <sys/utsname.h>

#include <nlohmann/json.hpp>

namespace revet::session {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

fs::path fileOf(const Places& places)
{
    return places.data / "health.json";
}

std::string kernelRelease()
{
    utsname names{};
    return ::uname(&names) == 0 ? names.release : "unknown";
}

Result<TierHealth> decode(const json& entry)
{
    const auto text = [&entry](const char* key) {
        const auto found = entry.find(key);
        return found != entry.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    const auto failed = entry.is_object() ? entry.find("failed") : entry.end();
    if (failed == entry.end() || !failed->is_array()) {
        return fail(ErrorCode::Malformed, "read the tiers' health");
    }
    TierHealth health;
    REVET_ASSIGN_OR_RETURN(health.tier, parseTier(text("tier")));
    health.kernel = text("kernel");
    health.version = text("version");
    for (const json& name : *failed) {
        health.failedProbes.push_back(name.is_string() ? name.get<std::string>() : "unknown");
    }
    return health;
}

/// None where the doctor has never been asked.
Result<std::vector<TierHealth>> readHealth(const Places& places)
{
    const auto text = readText(fileOf(places));
    if (!text) {
        return text.error().errnoValue == ENOENT ? Result<std::vector<TierHealth>>(std::vector<TierHealth>{})
                                                 : fail(text.error());
    }
    const json document = json::parse(*text, nullptr, false);
    const auto tiers = document.is_object() ? document.find("tiers") : document.end();
    if (tiers == document.end() || !tiers->is_array()) {
        return fail(ErrorCode::Malformed, "read " + fileOf(places).string());
    }
    std::vector<TierHealth> result;
    for (const json& entry : *tiers) {
        REVET_ASSIGN_OR_RETURN(auto health, decode(entry));
        result.push_back(std::move(health));
    }
    return result;
}

} // namespace

TierHealth currentHealth(Tier tier, std::vector<std::string> failedProbes)
{
    return {tier, std::move(failedProbes), kernelRelease(), REVET_VERSION};
}

Result<void> storeHealth(const TierHealth& health, const Places& places)
{
    // What cannot be read is replaced: this examination is newer.
    std::vector<TierHealth> all = readHealth(places).value_or(std::vector<TierHealth>{});
    std::erase_if(all, [&health](const TierHealth& known) { return known.tier == health.tier; });
    all.push_back(health);
    json tiers = json::array();
    for (const TierHealth& known : all) {
        tiers.push_back({{"tier", toString(known.tier)},
                         {"failed", known.failedProbes},
                         {"kernel", known.kernel},
                         {"version", known.version}});
    }
    const json document = {{"schema", "revet.v1"}, {"tiers", std::move(tiers)}};
    return replaceFile(fileOf(places), document.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
}

Result<void> usableTier(Tier tier, const Places& places)
{
    const std::string operation = "use the tier " + std::string(toString(tier));
    const auto all = readHealth(places);
    if (!all) {
        return fail(Error{ErrorCode::Unavailable, operation, 0,
                          "what its probes found cannot be read; run 'revet doctor'"});
    }
    const auto known = std::find_if(all->begin(), all->end(),
                                    [tier](const TierHealth& health) { return health.tier == tier; });
    const bool concerns = known != all->end() && known->kernel == kernelRelease()
        && known->version == REVET_VERSION && !known->failedProbes.empty();
    if (!concerns) {
        return {};
    }
    return fail(Error{ErrorCode::Unavailable, operation, 0,
                      "it failed the probe \"" + known->failedProbes.front()
                          + "\" on this machine; run 'revet doctor'"});
}

} // namespace revet::session
