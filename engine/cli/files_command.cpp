// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/command.h"
#include "engine/cli/message.h"
#include "engine/cli/session_argument.h"
#include "engine/cli/terminal.h"
#include "engine/cli/text_table.h"
#include "engine/domain/display_escape.h"

namespace revet::cli {

namespace {

std::string countText(std::uint64_t count)
{
    return count == 0 ? "" : std::to_string(count);
}

void printFilesAsJson(const SessionInfo& session, const std::vector<journal::FileSummary>& files)
{
    for (const journal::FileSummary& file : files) {
        nlohmann::json object = listingObject(session.id);
        journal::putBytes(object, "path", file.path);
        object["reads"] = file.reads;
        object["writes"] = file.writes;
        object["created"] = file.created;
        object["deleted"] = file.deleted;
        object["refused"] = file.refused;
        object["changed"] = file.isChanged;
        object["verdict"] = toString(file.lastVerdict);
        object["reach"] = toString(file.reach);
        object["seq"] = file.last.value();
        printJson(object);
    }
}

void printFilesAsText(const std::vector<journal::FileSummary>& files)
{
    constexpr auto kRight = TextTable::Align::Right;
    TextTable table({{"VERDICT"},
                     {"REACH"},
                     {"READ", kRight},
                     {"WRITE", kRight},
                     {"NEW", kRight},
                     {"GONE", kRight},
                     {"REFUSED", kRight},
                     {"PATH", TextTable::Align::Left, true}});
    for (const journal::FileSummary& file : files) {
        table.addRow({std::string(toString(file.lastVerdict)), std::string(toString(file.reach)),
                      countText(file.reads), countText(file.writes), countText(file.created),
                      countText(file.deleted), countText(file.refused), displayEscape(file.path)});
    }
    if (!table.isEmpty()) {
        print(table.toText(outputColumns()));
    }
}

void printDestinationsAsJson(const SessionInfo& session,
                             const std::vector<journal::DestinationSummary>& destinations)
{
    for (const journal::DestinationSummary& destination : destinations) {
        nlohmann::json object = listingObject(session.id);
        object["kind"] = toString(destination.kind);
        journal::putBytes(object, "target", destination.target);
        object["permitted"] = destination.permitted;
        object["refused"] = destination.refused;
        object["verdict"] = toString(destination.lastVerdict);
        object["reach"] = toString(destination.reach);
        object["seq"] = destination.last.value();
        printJson(object);
    }
}

void printDestinationsAsText(const std::vector<journal::DestinationSummary>& destinations)
{
    constexpr auto kRight = TextTable::Align::Right;
    TextTable table({{"VERDICT"},
                     {"REACH"},
                     {"KIND"},
                     {"PERMITTED", kRight},
                     {"REFUSED", kRight},
                     {"TARGET", TextTable::Align::Left, true}});
    for (const journal::DestinationSummary& destination : destinations) {
        table.addRow({std::string(toString(destination.lastVerdict)),
                      std::string(toString(destination.reach)), std::string(toString(destination.kind)),
                      countText(destination.permitted), countText(destination.refused),
                      displayEscape(destination.target)});
    }
    if (!table.isEmpty()) {
        print(table.toText(outputColumns()));
    }
}

/// What both commands do around their one query.
template<typename Show>
int runSummary(CLI::App& app, const Arguments& arguments, Show show)
{
    SessionArgument argument;
    argument.addTo(app);
    if (const auto status = parse(app, arguments)) {
        return *status;
    }
    Result<api::Engine> engine = api::Engine::open();
    if (!engine) {
        return report(engine.error());
    }
    OrStatus<OpenedSession> opened = openSession(*engine, argument);
    if (!opened) {
        return opened.error();
    }
    const Result<void> shown = show(*opened, argument.isJson);
    return shown ? kDone : report(shown.error());
}

} // namespace

int runFiles(const Arguments& arguments)
{
    CLI::App app("Shows the files that a session touched, or tried to.", "revet files");
    bool isChangedOnly = false;
    app.add_flag("--changed", isChangedOnly, "only what it changed and left so");
    const auto show = [&isChangedOnly](OpenedSession& opened, bool isJson) -> Result<void> {
        REVET_ASSIGN_OR_RETURN(std::vector<journal::FileSummary> files, opened.reader.files());
        if (isChangedOnly) {
            std::erase_if(files, [](const journal::FileSummary& file) { return !file.isChanged; });
        }
        if (isJson) {
            printFilesAsJson(opened.session, files);
        } else {
            printFilesAsText(files);
        }
        return {};
    };
    return runSummary(app, arguments, show);
}

int runNet(const Arguments& arguments)
{
    CLI::App app("Shows where a session connected, or tried to.", "revet net");
    const auto show = [](OpenedSession& opened, bool isJson) -> Result<void> {
        REVET_ASSIGN_OR_RETURN(const std::vector<journal::DestinationSummary> destinations,
                               opened.reader.destinations());
        if (isJson) {
            printDestinationsAsJson(opened.session, destinations);
        } else {
            printDestinationsAsText(destinations);
        }
        return {};
    };
    return runSummary(app, arguments, show);
}

} // namespace revet::cli
