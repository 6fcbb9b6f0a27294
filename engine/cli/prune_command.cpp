// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/command.h"
#include "engine/cli/message.h"
#include "engine/cli/session_argument.h"

namespace revet::cli {

namespace {

std::string sizeText(std::uint64_t bytes)
{
    constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20U;
    return bytes >= kMebibyte ? std::to_string(bytes / kMebibyte) + " MiB"
                              : std::to_string(bytes / 1024) + " KiB";
}

std::string describe(const journal::PruneItem& item, bool isDry)
{
    const bool isOld = item.reason == journal::PruneItem::Reason::TooOld;
    return item.session.id.text() + (isDry ? "  would go  " : "  removed  ") + sizeText(item.bytes) + "  "
        + (isOld ? "too old" : "over the budget") + "  " + journal::commandLine(item.session.command) + '\n';
}

nlohmann::json toJson(const journal::PruneItem& item, bool isDry)
{
    nlohmann::json object = listingObject(item.session.id);
    object["bytes"] = item.bytes;
    object["reason"] = item.reason == journal::PruneItem::Reason::TooOld ? "age" : "budget";
    object["removed"] = !isDry;
    return object;
}

} // namespace

int runPrune(const Arguments& arguments)
{
    bool isDry = false;
    bool isJson = false;
    std::string age;
    CLI::App app("Removes records that are older than 180 days, and the oldest ones beyond 20 GiB. Sessions "
                 "that run or whose changes wait stay.",
                 "revet prune");
    app.add_option("--older-than", age, "another age: 30m, 7d")->type_name("AGE");
    app.add_flag("--dry-run", isDry, "only say what would go");
    app.add_flag("--json", isJson, "one JSON object a line");
    if (const auto status = parse(app, arguments)) {
        return *status;
    }
    journal::RetentionLimits limits;
    if (!age.empty()) {
        const Result<std::chrono::seconds> parsed = parseDuration(age);
        if (!parsed) {
            return report(parsed.error());
        }
        limits.age = *parsed;
    }
    Result<api::Engine> engine = api::Engine::open();
    if (!engine) {
        return report(engine.error());
    }
    const Result<std::vector<journal::PruneItem>> items = engine->planPrune(limits);
    if (!items) {
        return report(items.error());
    }
    int status = kDone;
    for (const journal::PruneItem& item : *items) {
        const Result<void> removed = isDry ? Result<void>() : engine->prune(item);
        if (!removed) {
            status = report(removed.error());
        } else if (isJson) {
            printJson(toJson(item, isDry));
        } else {
            print(describe(item, isDry));
        }
    }
    return status;
}

} // namespace revet::cli
