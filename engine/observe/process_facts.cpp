// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/observe/process_facts.h"

#include "engine/os/pidfd.h"
#include "engine/os/proc_fs.h"

#include <utility>

namespace revet::observe {
namespace {

/// Beyond it an argument list is cut: compilers' longest are some 32 KiB.
constexpr std::size_t kArgumentsMaximum = 65536;

} // namespace

Result<ProcessFacts> readProcessFacts(int pid)
{
    REVET_ASSIGN_OR_RETURN(const os::ProcessDirectory process, os::ProcessDirectory::open(pid));
    REVET_ASSIGN_OR_RETURN(const os::ProcessStat stat, process.stat());
    ProcessFacts facts;
    facts.record.pid = pid;
    facts.record.startTicks = stat.startTicks;
    facts.parentPid = stat.parent;
    readProgram(facts.record);
    return facts;
}

void readProgram(ProcessRecord& record)
{
    const Result<os::ProcessDirectory> process = os::ProcessDirectory::open(record.pid);
    if (!process) {
        return;
    }
    if (Result<std::string> exe = process->readLink("exe")) {
        record.exe = std::move(*exe);
    }
    if (Result<std::string> cwd = process->readLink("cwd")) {
        record.cwd = std::move(*cwd);
    }
    if (Result<std::vector<std::string>> argv = process->commandLine(kArgumentsMaximum);
        argv && !argv->empty()) {
        record.argv = std::move(*argv);
    }
}

bool isBoxProcess(int pid)
{
    const Result<os::ProcessDirectory> process = os::ProcessDirectory::open(pid);
    const Result<os::ProcessStatus> status
        = process ? process->status() : Result<os::ProcessStatus>(fail(process.error()));
    return status && status->namespaceDepth > 0 && status->innermostPid != 1;
}

std::optional<std::int32_t> waitStatusAfterEnd(const ProcessRecord& record, int pidFd)
{
    if (const std::optional<std::int32_t> status = os::waitStatusOf(pidFd)) {
        return status;
    }
    // Not reaped yet, or an older kernel: a zombie's own entry tells.
    const Result<os::ProcessDirectory> process = os::ProcessDirectory::open(record.pid);
    const Result<os::ProcessStat> stat
        = process ? process->stat() : Result<os::ProcessStat>(fail(process.error()));
    if (stat && stat->startTicks == record.startTicks && stat->state == 'Z') {
        return stat->waitStatus;
    }
    return os::waitStatusOf(pidFd); // reaped between the two looks
}

} // namespace revet::observe
