// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/tier_question.h"

#include "engine/api/tier_question.h"
#include "engine/cli/message.h"
#include "engine/cli/terminal_line.h"
#include "engine/domain/display_escape.h"

#include <string>
#include <string_view>

namespace revet::cli {

namespace {

constexpr int kMaximumTries = 3;

/// Without the space around it; nothing at the end of the terminal.
std::optional<std::string> readLine()
{
    std::optional<std::string> line = readTerminalLine();
    if (line) {
        line->erase(0, line->find_first_not_of(" \t\r\n"));
        line->erase(line->find_last_not_of(" \t\r\n") + 1);
    }
    return line;
}

std::optional<Tier> tierOf(std::string_view word, Tier preselected)
{
    if (word.empty()) {
        return preselected;
    }
    for (const Tier tier : {Tier::Sandbox, Tier::Container}) {
        if (toString(tier).starts_with(word)) {
            return tier;
        }
    }
    return std::nullopt;
}

std::optional<Tier> ask(const api::TierQuestion& question)
{
    const std::string project = displayQuoted(question.project);
    const std::string prompt = "revet: the project's tier, until `revet project set tier=TIER` changes it ["
        + std::string(toString(question.preselected)) + "]: ";
    printToErrors(
        "sandbox: changes " + project
        + " directly; git hooks, editor tasks and their like are protected\ncontainer: changes a copy; "
        + project + " stays as it is\n" + prompt);
    for (int tries = 1;; ++tries) {
        const std::optional<std::string> line = readLine();
        if (!line) {
            printToErrors("\n");
            return std::nullopt;
        }
        const std::optional<Tier> tier = tierOf(*line, question.preselected);
        if (tier || tries == kMaximumTries) {
            return tier;
        }
        printToErrors("type sandbox or container: ");
    }
}

} // namespace

std::optional<int> askForTier(ipc::RunRequest& request)
{
    if (request.tier || request.continues || !request.isInteractive || request.isDetached) {
        return std::nullopt;
    }
    // What goes wrong here stops the session, too, which says it better.
    Result<api::Engine> engine = api::Engine::open();
    const Result<std::optional<api::TierQuestion>> question
        = engine ? api::tierQuestion(*engine, request) : fail(engine.error());
    if (!question || !*question) {
        return std::nullopt;
    }
    request.tier = ask(**question);
    if (!request.tier) {
        complain("run: choose the tier: there was no answer; run again, or name it with --tier");
        return kRunFailed;
    }
    if (const Result<void> kept = api::answer(*engine, **question, *request.tier); !kept) {
        report(kept.error()); // it holds for this run
    }
    return std::nullopt;
}

} // namespace revet::cli
