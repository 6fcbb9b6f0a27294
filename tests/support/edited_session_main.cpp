// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// `revet` and revet-session as the tests build them: the same programs, but the steps that REVET_TEST_WITHOUT
// names, one a line, are taken out of the box's plan. A step is named by its kind, or by its kind and its
// target. Without its layer, an overlay is what lies below: the host's own directory.

#include "engine/cli/program.h"
#include "engine/session/session_process.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

using revet::launcher::Plan;
using revet::launcher::Step;
using revet::launcher::StepKind;

void takeOut(std::vector<Step>& steps, const std::set<std::string>& names)
{
    const auto isNamed = [&](const Step& step) {
        const std::string kind(revet::launcher::toString(step.kind));
        return names.contains(kind) || names.contains(kind + " " + step.target);
    };
    for (Step& step : steps) {
        if (step.kind == StepKind::Overlay && isNamed(step)) {
            step = {StepKind::Bind, step.source, step.target, {}, 0};
        }
    }
    std::erase_if(steps, isNamed);
}

int editedSession()
{
    std::set<std::string> names;
    if (const char* without = std::getenv("REVET_TEST_WITHOUT")) {
        std::istringstream lines(without);
        for (std::string line; std::getline(lines, line);) {
            names.insert(line);
        }
    }
    return revet::session::runSessionProcess([&](Plan& plan) {
        takeOut(plan.outer, names);
        takeOut(plan.init, names);
        takeOut(plan.command, names);
    });
}

} // namespace

int main(int argc, char** argv)
{
    return argc == 1 ? editedSession() : revet::cli::runProgram(argc, argv, editedSession);
}
