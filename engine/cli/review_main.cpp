// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// revet-review: what `revet` becomes for the commands that read layers and compare texts.

#include "engine/api/review.h"
#include "engine/cli/decide.h"
#include "engine/cli/diff.h"
#include "engine/cli/message.h"

#include <algorithm>
#include <array>
#include <exception>
#include <string_view>
#include <utility>

int main(int argc, char** argv)
{
    using namespace revet;
    constexpr std::array kCommands = {std::pair{std::string_view("diff"), cli::showDiff},
                                      std::pair{std::string_view("apply"), cli::doApply},
                                      std::pair{std::string_view("discard"), cli::doDiscard},
                                      std::pair{std::string_view("undo"), cli::doUndo}};
    const auto* const command = std::ranges::find(kCommands, argc < 2 ? std::string_view() : argv[1],
                                                  [](const auto& entry) { return entry.first; });
    if (command == kCommands.end()) {
        cli::complain("revet-review: it is a part of revet; run `revet diff`");
        return cli::kUsage;
    }
    if (const auto entered = api::enterReview(); !entered) {
        cli::complain("review changes: " + toString(entered.error())
                      + "; boxes need such a namespace, too: see `revet doctor`");
        return cli::kTierUnavailable;
    }
    try {
        return command->second(cli::Arguments(argv + 2, argv + argc));
    } catch (const std::exception& exception) {
        // Only the standard library throws here, and only where memory has run out.
        cli::complain(std::string("stop: ") + exception.what());
        return cli::kFailed;
    }
}
