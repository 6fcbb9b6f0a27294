// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/api/doctor.h"
#include "engine/cli/command.h"
#include "engine/cli/message.h"
#include "engine/cli/session_argument.h"
#include "engine/cli/terminal.h"
#include "engine/domain/display_escape.h"

#include <unistd.h>

namespace revet::cli {

namespace {

using session::DoctorCheck;
using session::DoctorReport;

constexpr std::size_t kWordColumns = 13; // "unavailable" and a gap

std::string marked(DoctorCheck::Status status)
{
    std::string word(toString(status));
    const std::string padding(kWordColumns - std::min(kWordColumns, word.size()), ' ');
    if (canColour()) {
        const char* const colour = status == DoctorCheck::Status::Ok ? "\x1b[32m"
            : status == DoctorCheck::Status::Limited                 ? "\x1b[33m"
                                                                     : "\x1b[31m";
        word = colour + word + "\x1b[0m";
    }
    return word + padding;
}

void printCheck(const DoctorCheck& check)
{
    std::string line = "  " + marked(check.status) + displayEscape(check.name);
    line += check.detail.empty() ? "" : ": " + displayEscape(check.detail);
    print(line + '\n');
    if (!check.remedy.empty()) {
        print(std::string(2 + kWordColumns, ' ') + "remedy: " + displayEscape(check.remedy) + '\n');
    }
}

void printText(const DoctorReport& report)
{
    if (!report.machine.empty()) {
        print("This machine:\n");
    }
    for (const DoctorCheck& check : report.machine) {
        printCheck(check);
    }
    for (const session::TierReport& tier : report.tiers) {
        print("Tier " + std::string(toString(tier.tier)) + ": " + std::string(toString(tier.status)) + '\n');
        for (const DoctorCheck& check : tier.checks) {
            printCheck(check);
        }
    }
}

void printJsonCheck(const DoctorCheck& check, std::optional<Tier> tier)
{
    nlohmann::json object = {{"schema", "revet.v1"}};
    object["tier"] = tier ? nlohmann::json(toString(*tier)) : nlohmann::json();
    object["check"] = check.name;
    object["status"] = toString(check.status);
    journal::putBytes(object, "detail", check.detail);
    journal::putBytes(object, "remedy", check.remedy);
    printJson(object);
}

void printJsonReport(const DoctorReport& report)
{
    for (const DoctorCheck& check : report.machine) {
        printJsonCheck(check, std::nullopt);
    }
    for (const session::TierReport& tier : report.tiers) {
        for (const DoctorCheck& check : tier.checks) {
            printJsonCheck(check, tier.tier);
        }
    }
}

} // namespace

int runDoctor(const Arguments& arguments)
{
    std::string tierName;
    bool isJson = false;
    CLI::App app(
        "Proves, by probes in real boxes, what the walls hold on this machine. Its status is 0, or 4 "
        "when the default tier cannot be used.",
        "revet doctor");
    app.add_option("--tier", tierName, "only this tier")->type_name("TIER");
    app.add_flag("--json", isJson, "one JSON object a line");
    if (const auto status = parse(app, arguments)) {
        return *status;
    }
    std::optional<Tier> only;
    if (!tierName.empty()) {
        const Result<Tier> tier = parseTier(tierName);
        if (!tier) {
            return report(tier.error());
        }
        only = *tier;
    }
    if (::geteuid() == 0) {
        complain(
            "doctor: root is refused: its boxes are not those of `revet run`; run it as an ordinary user");
        return kRefused;
    }
    const Result<DoctorReport> found = api::runDoctor(only);
    if (!found) {
        return report(found.error());
    }
    if (isJson) {
        printJsonReport(*found);
    } else {
        printText(*found);
    }
    if (!found->isDefaultTierUsable) {
        complain("doctor: the tier " + std::string(toString(found->defaultTier))
                 + " cannot be used on this machine; see the remedies above");
        return kTierUnavailable;
    }
    return kDone;
}

} // namespace revet::cli
