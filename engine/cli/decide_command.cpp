// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/api/decision.h"
#include "engine/api/review.h"
#include "engine/cli/decide.h"
#include "engine/cli/message.h"
#include "engine/cli/session_words.h"
#include "engine/domain/display_escape.h"
#include "engine/policy/git_rules.h"

#include <algorithm>
#include <array>
#include <functional>
#include <span>

namespace revet::cli {

namespace {

using api::DecisionOutcome;
using workspace::Purpose;

struct Options
{
    std::vector<std::string> words; ///< [ID] [PATH…]
    bool isJson = false;
};

void addTo(CLI::App& app, Options& options)
{
    app.add_option("WORDS", options.words,
                   "[ID] [PATH…]: a session (default: the project's only one), and only these files and "
                   "directories");
    app.add_flag("--json", options.isJson, "one JSON object a line");
}

std::string_view verbOf(const DecisionOutcome& outcome)
{
    switch (outcome.purpose) {
    case Purpose::Apply:
        return "applied";
    case Purpose::Discard:
        return "discarded";
    case Purpose::Undo:
        return outcome.isRedo ? "did again" : "took back";
    }
    return "";
}

void printAsJson(const SessionId& session, const DecisionOutcome& outcome)
{
    const auto line = [&session](const std::string& path, std::string_view what, const std::string& why) {
        nlohmann::json object = listingObject(session);
        journal::putBytes(object, "path", path);
        object["outcome"] = what;
        if (!why.empty()) {
            journal::putBytes(object, "why", why);
        }
        printJson(object);
    };
    for (const std::string& path : outcome.changed) {
        line(path, outcome.purpose == Purpose::Undo ? "undone" : verbOf(outcome), {});
    }
    for (const workspace::RefCrossing& ref : outcome.refs) {
        nlohmann::json object = listingObject(session);
        object["outcome"] = "arrived";
        object["ref"] = ref.name;
        object["arrived_as"] = ref.arrivesAs;
        object["before"] = ref.before;
        object["after"] = ref.after;
        printJson(object);
    }
    for (const workspace::HeldChange& held : outcome.held) {
        line(held.path, "held", std::string(toString(held.hold)) + (held.why.empty() ? "" : ": " + held.why));
    }
    for (const workspace::Conflict& conflict : outcome.conflicts) {
        line(conflict.path, "conflict", conflict.why);
    }
    for (const workspace::Conflict& lost : outcome.lost) {
        line(lost.path, "lost", lost.why);
    }
}

/// "refs/heads/topic": "topic", as a person names it.
std::string shortName(std::string_view ref)
{
    constexpr std::array<std::string_view, 2> kKinds = {"refs/heads/", "refs/"};
    for (const std::string_view kind : kKinds) {
        if (ref.starts_with(kind)) {
            ref.remove_prefix(kind.size());
        }
    }
    return displayEscape(ref);
}

std::string refText(const DecisionOutcome& outcome)
{
    constexpr std::size_t kShortId = 10;
    std::string text;
    for (const workspace::RefCrossing& ref : outcome.refs) {
        text += "commits: " + shortName(ref.arrivesAs) + " is at " + ref.after.substr(0, kShortId);
        text += ref.arrivesAs == ref.name ? "" : ", what the session had at " + shortName(ref.name);
        text += ref.isCheckedOut ? "; `git reset` lets the index follow\n" : "\n";
    }
    return text;
}

/// Without a repository's own files, of which refText() speaks.
std::size_t countFiles(const DecisionOutcome& outcome)
{
    return static_cast<std::size_t>(std::ranges::count_if(outcome.changed, [](const std::string& path) {
        policy::GitSplit split;
        const bool isOfRef = policy::isBelowGitdir(path, &split)
            && (split.inside.starts_with("refs/") || split.inside.starts_with("logs/"));
        return !isOfRef && !path.starts_with('/');
    }));
}

std::string heldText(const DecisionOutcome& outcome)
{
    std::string text;
    bool canRelease = false;
    for (const workspace::HeldChange& held : outcome.held) {
        if (held.hold == workspace::Hold::Repository) {
            continue; // its commits are a matter of their own, and it may be thousands of files
        }
        canRelease = canRelease || canBeReleased(held.hold);
        text += "held back: " + displayEscape(held.path) + " (" + std::string(toString(held.hold))
            + (held.why.empty() ? "" : ": " + displayEscape(held.why)) + ")\n";
    }
    return canRelease ? text + "`revet apply --pinned` takes over what is held back for you to look at\n"
                      : text;
}

/// The first of many paths, a line each.
std::string listed(const std::vector<workspace::Conflict>& paths)
{
    constexpr std::size_t kShown = 20;
    std::string text;
    for (const workspace::Conflict& path : std::span(paths).first(std::min(paths.size(), kShown))) {
        text += "\n  " + displayEscape(path.path.empty() ? "." : path.path) + ": " + displayEscape(path.why);
    }
    return paths.size() > kShown ? text + "\n  and " + std::to_string(paths.size() - kShown) + " more" : text;
}

/// "applied 2 paths of k3f9q2"; empty where there is nothing to say but what refText() does.
std::string doneText(const SessionInfo& session, const DecisionOutcome& outcome)
{
    const std::size_t count = outcome.refs.empty() ? outcome.changed.size() : countFiles(outcome);
    if (count == 0) {
        return outcome.refs.empty() ? "nothing to do for " + session.id.text() : std::string();
    }
    return std::string(verbOf(outcome)) + ' ' + std::to_string(count) + (count == 1 ? " path" : " paths")
        + " of " + session.id.text();
}

int printAsText(const SessionInfo& session, const DecisionOutcome& outcome)
{
    print(heldText(outcome));
    if (!outcome.conflicts.empty()) {
        if (!outcome.changed.empty()) {
            print(refText(outcome) + doneText(session, outcome) + '\n');
        }
        std::string text = "change " + displayEscape(session.project) + ": ";
        text += outcome.conflicts.size() == 1 ? "one path"
                                              : std::to_string(outcome.conflicts.size()) + " paths";
        text += " changed meanwhile, so nothing was done";
        text += outcome.changed.empty() ? "" : " there";
        text += " for " + session.id.text()
            + "; name the others, or see to these:" + listed(outcome.conflicts);
        text += outcome.purpose == Purpose::Apply
            ? "\n`revet apply --merge` joins what both sides changed in a text, `--commit` touches no file"
            : "";
        complain(text);
        return kConflict;
    }
    print(refText(outcome));
    std::string text = doneText(session, outcome);
    if (outcome.isClosed) {
        text += text.empty() ? "nothing is left to decide for " + session.id.text()
                             : "; nothing is left to decide";
    }
    print(text.empty() ? "" : text + '\n');
    if (outcome.failure) {
        return report(*outcome.failure);
    }
    if (!outcome.lost.empty()) {
        const std::size_t lost = outcome.lost.size();
        complain("take all of it back: " + (lost == 1 ? "one path" : std::to_string(lost) + " paths")
                 + " did not come back as it was, since it was not kept:" + listed(outcome.lost));
        return kFailed;
    }
    return kDone;
}

int decide(CLI::App& app, const Arguments& arguments, const Options& options,
           api::Engine::Candidates candidates,
           const std::function<Result<DecisionOutcome>(api::Decision&, const SessionWords&)>& act)
{
    if (const auto status = parse(app, arguments)) {
        return *status;
    }
    Result<api::Engine> engine = api::Engine::open();
    if (!engine) {
        return report(engine.error());
    }
    const OrStatus<SessionWords> words = readWords(*engine, options.words, candidates);
    if (!words) {
        return words.error();
    }
    Result<api::Decision> decision = api::Decision::open(*engine, words->session);
    if (!decision) {
        return report(decision.error());
    }
    const Result<DecisionOutcome> outcome = act(*decision, *words);
    if (!outcome) {
        return report(outcome.error());
    }
    if (outcome->unnoted) {
        complain("note in the log what was done for " + words->session.id.text() + ": "
                 + toString(*outcome->unnoted) + "; it is done, and the next such command notes it");
    }
    if (options.isJson) {
        printAsJson(words->session.id, *outcome);
        if (outcome->failure) {
            return report(*outcome->failure);
        }
        return !outcome->conflicts.empty() ? kConflict : outcome->lost.empty() ? kDone : kFailed;
    }
    return printAsText(words->session, *outcome);
}

} // namespace

int doApply(const Arguments& arguments)
{
    CLI::App app("Takes a session's changes over into the project: all that were chosen, or none.",
                 "revet apply");
    Options options;
    bool isPinned = false;
    bool isCommit = false;
    bool merges = false;
    addTo(app, options);
    app.add_flag("--pinned", isPinned,
                 "also what is held back: files that the host runs later, and names that mislead");
    app.add_flag(
        "--merge", merges,
        "where you changed a committed text as well: both changes, if they are not in the same lines");
    app.add_flag("--commit", isCommit,
                 "touch no file: make a commit on the branch revet/ID, for what git does not ignore");
    return decide(app, arguments, options, api::Engine::Candidates::Undecided,
                  [&](api::Decision& decision, const SessionWords& words) {
                      workspace::ApplyChoice choice;
                      choice.paths = words.paths;
                      choice.releasesHeld = isPinned;
                      choice.merges = merges;
                      return isCommit ? decision.commit(choice) : decision.apply(choice);
                  });
}

int doDiscard(const Arguments& arguments)
{
    CLI::App app("Throws a session's changes away; `revet undo` brings them back for 30 days.",
                 "revet discard");
    Options options;
    addTo(app, options);
    return decide(
        app, arguments, options, api::Engine::Candidates::Undecided,
        [](api::Decision& decision, const SessionWords& words) { return decision.discard(words.paths); });
}

int doUndo(const Arguments& arguments)
{
    CLI::App app(
        "Takes back what a session did to the project's own files, or its last apply or discard; once "
        "more, and it is done again.",
        "revet undo");
    Options options;
    addTo(app, options);
    return decide(
        app, arguments, options, api::Engine::Candidates::All,
        [](api::Decision& decision, const SessionWords& words) { return decision.undo(words.paths); });
}

int doSeal(const Arguments& arguments)
{
    const auto sealed = api::sealUndo(arguments.empty() ? "" : arguments.front());
    return sealed ? kDone : report(sealed.error());
}

} // namespace revet::cli
