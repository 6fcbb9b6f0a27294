// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/diff.h"
#include "engine/cli/message.h"
#include "engine/cli/session_words.h"
#include "engine/domain/display_escape.h"

#include <algorithm>
#include <filesystem>

namespace revet::cli {

namespace {

namespace fs = std::filesystem;

struct DiffOptions
{
    std::vector<std::string> words; ///< [ID] [PATH…]
    bool isStat = false;
    bool isJson = false;
};

bool isAtOrBelow(std::string_view path, std::string_view place)
{
    return place.empty() || path == place
        || (path.size() > place.size() && path.starts_with(place) && path[place.size()] == '/');
}

bool isAsked(const workspace::ReviewItem& item, const std::vector<std::string>& places)
{
    return std::ranges::any_of(places, [&item](const std::string& place) {
        return isAtOrBelow(item.change.path, place)
            || (!item.change.from.empty() && isAtOrBelow(item.change.from, place));
    });
}

/// What the words ask for; a word that means nothing at all is an error.
Result<std::vector<ShownRoot>> select(const api::Review& review, const std::vector<std::string>& words)
{
    std::vector<ShownRoot> shown;
    std::vector<bool> isKnown(words.size(), false);
    for (std::size_t number = 0; number < review.roots().size(); ++number) {
        const api::Review::Root& root = review.roots()[number];
        std::vector<std::string> places;
        for (std::size_t i = 0; i < words.size(); ++i) {
            if (auto place = pathBelow(root.path, words[i])) {
                std::error_code error;
                isKnown[i] = isKnown[i] || fs::exists(fs::symlink_status(words[i], error));
                isKnown[i] = isKnown[i] || std::ranges::any_of(root.items, [&](const auto& item) {
                                 return isAsked(item, {*place});
                             });
                places.push_back(std::move(*place));
            }
        }
        ShownRoot part{number, &root.path, {}};
        for (const workspace::ReviewItem& item : root.items) {
            if (words.empty() || isAsked(item, places)) {
                part.items.push_back(&item);
            }
        }
        shown.push_back(std::move(part));
    }
    if (const auto unknown = std::ranges::find(isKnown, false); unknown != isKnown.end()) {
        const std::string& word = words.at(static_cast<std::size_t>(unknown - isKnown.begin()));
        return fail(ErrorCode::NotFound, "find '" + displayEscape(word) + "'",
                    "it is neither a session nor a path that changed; `revet ps --all` lists sessions");
    }
    return shown;
}

Result<void> show(const SessionInfo& session, const DiffOptions& options, api::Review& review,
                  const std::vector<ShownRoot>& roots)
{
    if (options.isJson) {
        return printDiffJson(session.id, review, roots, options.isStat ? Hunks::No : Hunks::Yes);
    }
    if (std::ranges::all_of(roots, [](const ShownRoot& root) { return root.items.empty(); })) {
        complain(options.words.empty() ? "the session " + session.id.text() + " changed nothing"
                                       : "the session " + session.id.text() + " changed nothing there");
        return {};
    }
    return options.isStat ? printDiffStat(review, roots) : printDiffText(review, roots);
}

} // namespace

int showDiff(const Arguments& arguments)
{
    CLI::App app("Shows what a session changed, before it is taken over.", "revet diff");
    DiffOptions options;
    app.add_option("WORDS", options.words,
                   "[ID] [PATH…]: a session (default: the project's only one whose changes wait), and only "
                   "these files and directories");
    app.add_flag("--stat", options.isStat, "only how many lines of each file changed");
    app.add_flag("--json", options.isJson, "one JSON object a line");
    if (const auto status = parse(app, arguments)) {
        return *status;
    }
    Result<api::Engine> engine = api::Engine::open();
    if (!engine) {
        return report(engine.error());
    }
    const OrStatus<SessionInfo> session
        = takeSession(*engine, options.words, api::Engine::Candidates::Undecided);
    if (!session) {
        return session.error();
    }
    Result<api::Review> review = api::Review::open(*engine, *session);
    if (!review) {
        return report(review.error());
    }
    const Result<std::vector<ShownRoot>> roots = select(*review, options.words);
    if (!roots) {
        return report(roots.error());
    }
    const Result<void> shown = show(*session, options, *review, *roots);
    return shown ? kDone : report(shown.error());
}

} // namespace revet::cli
