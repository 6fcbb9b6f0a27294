// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/command.h"
#include "engine/cli/demo_project.h"
#include "engine/cli/event_line.h"
#include "engine/cli/message.h"
#include "engine/cli/run_command.h"
#include "engine/cli/session_argument.h"
#include "engine/domain/display_escape.h"

#include <unistd.h>

namespace revet::cli {

namespace {

constexpr std::size_t kMaximumShown = 20;

Result<DemoProject> prepare()
{
    REVET_ASSIGN_OR_RETURN(const Places places, Places::find());
    REVET_ASSIGN_OR_RETURN(const std::filesystem::path share, api::shareDirectory());
    return makeDemoProject(share / "demo", places.cache);
}

ipc::RunRequest requestFor(const DemoProject& demo)
{
    ipc::RunRequest request;
    request.command = {"sh", "agent.sh"};
    request.currentDirectory = demo.project.string();
    request.project = request.currentDirectory;
    request.tier = Tier::Sandbox;
    request.label = "demo";
    request.environmentAssignments = {"REVET_DEMO_OUTSIDE=" + demo.outside.string()};
    return request;
}

Result<void> printChanged(journal::JournalReader& reader)
{
    REVET_ASSIGN_OR_RETURN(const std::vector<journal::FileSummary> files, reader.files());
    print("\nWhat it changed:\n");
    std::size_t shown = 0;
    for (const journal::FileSummary& file : files) {
        if (file.isChanged && shown++ < kMaximumShown) {
            print("  " + displayEscape(file.path) + "  (" + std::string(toString(file.lastVerdict)) + ")\n");
        }
    }
    return {};
}

Result<void> printRefused(journal::JournalReader& reader, const SessionId& session)
{
    journal::EventFilter filter;
    filter.verdicts = {Verdict::Withheld, Verdict::Denied};
    REVET_ASSIGN_OR_RETURN(const std::vector<Event> events,
                           reader.eventsAfter(EventSeq(), kMaximumShown, filter));
    print("\nWhat the box withheld or refused:\n");
    EventPrinter printer(reader, session, EventPrinter::Form::Text);
    for (const Event& event : events) {
        REVET_RETURN_IF_ERROR(printer.print(event));
    }
    return {};
}

Result<void> printAccount(const SessionId& session, const DemoProject& demo)
{
    REVET_ASSIGN_OR_RETURN(const api::Engine engine, api::Engine::open());
    REVET_ASSIGN_OR_RETURN(journal::JournalReader reader, engine.openJournal(session));
    REVET_RETURN_IF_ERROR(printChanged(reader));
    REVET_RETURN_IF_ERROR(printRefused(reader, session));
    const std::string id = session.text();
    print("\nThe project is " + displayQuoted(demo.project.string()) + ". To look closer:\n  revet log " + id
          + "\n  revet files " + id + "\n  revet tree " + id
          + "\nAnd for work of your own:\n  revet run -- COMMAND\n");
    return {};
}

} // namespace

int runDemo(const Arguments& arguments)
{
    CLI::App app(
        "Lets a small scripted agent work on a sample project in a box: it fixes a bug, and then tries "
        "what a misled agent would try. Needs no key and no network.",
        "revet demo");
    if (const auto status = parse(app, arguments)) {
        return *status;
    }
    if (::geteuid() == 0) {
        complain(
            "demo: root is refused: a box of root's would hold nothing back; run it as an ordinary user");
        return kRefused;
    }
    const Result<DemoProject> demo = prepare();
    if (!demo) {
        return report(demo.error());
    }
    const Ran ran = runInForeground(requestFor(*demo));
    if (!ran.session) {
        return kFailed; // why was said
    }
    const Result<void> told = printAccount(*ran.session, *demo);
    if (!told) {
        return report(told.error());
    }
    return ran.status == 0 ? kDone : kFailed;
}

} // namespace revet::cli
