// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/api/review_program.h"
#include "engine/base/argument_pointers.h"
#include "engine/cli/command.h"
#include "engine/cli/message.h"

#include <unistd.h>

namespace revet::cli {

namespace {

/// Becomes the program that reviews, which goes on with the same arguments.
int becomeReview(const char* command, const Arguments& arguments)
{
    const Result<std::string> program = api::reviewProgram();
    if (!program) {
        return report(program.error());
    }
    std::vector<std::string> texts{*program, command};
    texts.insert(texts.end(), arguments.begin(), arguments.end());
    ::execv(program->c_str(), argumentPointers(texts).data());
    return report(Error::fromErrno("start " + *program));
}

} // namespace

int runDiff(const Arguments& arguments)
{
    return becomeReview("diff", arguments);
}

int runApply(const Arguments& arguments)
{
    return becomeReview("apply", arguments);
}

int runDiscard(const Arguments& arguments)
{
    return becomeReview("discard", arguments);
}

int runUndo(const Arguments& arguments)
{
    return becomeReview("undo", arguments);
}

} // namespace revet::cli
