// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// One transaction in a process of its own, to be killed: transaction_runner DEED TREE WANTED STORE.

#include "engine/workspace/history.h"
#include "engine/workspace/transaction.h"
#include "tests/engine/workspace/wanted_tree.h"

#include <cstdio>
#include <string>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace revet;

namespace {

Result<void> run(const std::string& deed, const std::string& tree, const std::string& wanted,
                 const std::string& storePath)
{
    const UniqueFd root(::open(tree.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    REVET_ASSIGN_OR_RETURN(const auto store, workspace::RecordStore::open(storePath));
    if (deed == "recover") {
        ::syscall(SYS_getppid);
        REVET_ASSIGN_OR_RETURN(const auto kept, workspace::recover(root.get(), store));
        return kept.empty() ? Result<void>() : fail(ErrorCode::Conflict, kept.front());
    }
    workspace::Record record;
    std::vector<workspace::Operation> operations;
    if (deed == "undo") {
        REVET_ASSIGN_OR_RETURN(const auto records, store.records());
        REVET_ASSIGN_OR_RETURN(auto step, workspace::History({}, records).takeBack(root.get(), {}));
        record.purpose = workspace::Purpose::Undo;
        record.undoes = step.undoes;
        operations = std::move(step.operations);
    } else {
        operations = test::operationsBetween(tree, wanted);
    }
    workspace::Transaction transaction(root.get(), store, std::move(record));
    for (workspace::Operation& operation : operations) {
        transaction.add(std::move(operation));
    }
    ::syscall(SYS_getppid); // from here on it may be killed
    const auto name = transaction.commit();
    return name ? Result<void>() : fail(name.error());
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 5) {
        return 2;
    }
    const Result<void> done = run(argv[1], argv[2], argv[3], argv[4]);
    if (!done) {
        std::fprintf(stderr, "%s\n", toString(done.error()).c_str());
    }
    return done ? 0 : 1;
}
