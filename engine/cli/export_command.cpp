// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/command.h"
#include "engine/cli/message.h"
#include "engine/cli/session_argument.h"

namespace revet::cli {

int runExport(const Arguments& arguments)
{
    SessionArgument argument;
    std::string format = "jsonl";
    CLI::App app("Writes a session's whole record to standard output.", "revet export");
    app.add_option("ID", argument.id,
                   "an id, a unique prefix of one, or a label (default: the only one here)");
    app.add_option("--format", format, "jsonl, markdown or html")->capture_default_str();
    if (const auto status = parse(app, arguments)) {
        return *status;
    }
    const Result<journal::ExportFormat> parsed = journal::parseExportFormat(format);
    if (!parsed) {
        return report(parsed.error());
    }
    Result<api::Engine> engine = api::Engine::open();
    if (!engine) {
        return report(engine.error());
    }
    OrStatus<OpenedSession> opened = openSession(*engine, argument);
    if (!opened) {
        return opened.error();
    }
    const auto sink = [](std::string_view text) -> Result<void> {
        print(text);
        return {};
    };
    const Result<void> exported = journal::exportJournal(opened->reader, *parsed, sink);
    return exported ? kDone : report(exported.error());
}

} // namespace revet::cli
