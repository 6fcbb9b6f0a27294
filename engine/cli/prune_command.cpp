// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/command.h"
#include "engine/cli/message.h"
#include "engine/cli/session_argument.h"
#include "engine/domain/size_text.h"

#include <algorithm>
#include <array>

namespace revet::cli {

namespace {

std::string_view reasonOf(const journal::PruneItem& item)
{
    switch (item.reason) {
    case journal::PruneItem::Reason::TooOld:
        return "too old";
    case journal::PruneItem::Reason::OverBudget:
        return "over the budget";
    case journal::PruneItem::Reason::UndoTooOld:
        return "undo is too old";
    }
    return "";
}

std::string describe(const journal::PruneItem& item, bool isDry)
{
    return item.session.id.text() + (isDry ? "  would go  " : "  removed  ") + sizeText(item.bytes) + "  "
        + std::string(reasonOf(item)) + "  " + journal::commandLine(item.session.command) + '\n';
}

nlohmann::json toJson(const journal::PruneItem& item, bool isDry)
{
    constexpr std::array<std::string_view, 3> kReasons = {"age", "budget", "undo_age"};
    nlohmann::json object = listingObject(item.session.id);
    object["bytes"] = item.bytes;
    object["reason"] = kReasons.at(static_cast<std::size_t>(item.reason));
    object["removed"] = !isDry;
    return object;
}

/// What is left; the last line.
Result<void> printUsage(api::Engine& engine, const journal::RetentionLimits& limits)
{
    REVET_ASSIGN_OR_RETURN(const api::Engine::Usage usage, engine.usage());
    print("kept: " + std::to_string(usage.sessions) + (usage.sessions == 1 ? " session, " : " sessions, ")
          + sizeText(usage.bytes) + " of " + sizeText(limits.bytes) + "; for undo "
          + sizeText(usage.undoBytes) + '\n');
    return {};
}

} // namespace

int runPrune(const Arguments& arguments)
{
    bool isDry = false;
    bool isJson = false;
    std::string age;
    CLI::App app("Removes records that are older than 180 days, what undo needs after 30, and the oldest "
                 "records beyond 20 GiB. Sessions that run or whose changes wait stay.",
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
        limits.undoAge = std::min(limits.undoAge, limits.age);
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
    const Result<void> told = isJson ? Result<void>() : printUsage(*engine, limits);
    return told ? status : report(told.error());
}

} // namespace revet::cli
