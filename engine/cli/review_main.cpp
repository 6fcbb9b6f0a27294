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

namespace {

struct Part
{
    std::string_view name;
    int (*run)(const revet::cli::Arguments& arguments);
};

} // namespace

int main(int argc, char** argv)
{
    using namespace revet;
    constexpr std::array kCommands
        = {Part{"diff", cli::showDiff}, Part{"apply", cli::doApply}, Part{"seal", cli::doSeal},
           Part{"discard", cli::doDiscard}, Part{"undo", cli::doUndo}};
    const std::string_view name = argc < 2 ? "" : argv[1];
    const auto* const command = std::ranges::find(kCommands, name, &Part::name);
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
        return command->run(cli::Arguments(argv + 2, argv + argc));
    } catch (const std::exception& exception) {
        // Only the standard library throws here, and only where memory has run out.
        cli::complain(std::string("stop: ") + exception.what());
        return cli::kFailed;
    }
}
