// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/session_words.h"

#include "engine/cli/message.h"
#include "engine/domain/display_escape.h"

#include <algorithm>
#include <filesystem>

namespace revet::cli {

namespace {

namespace fs = std::filesystem;

bool isPathHere(const std::string& word)
{
    std::error_code error;
    return fs::symlink_status(fs::path(currentDirectory()) / word, error).type() != fs::file_type::not_found;
}

} // namespace

std::optional<std::string> pathBelow(const std::string& root, const std::string& word)
{
    // By its text: the last part may be a link, or be gone.
    std::string path = (fs::path(currentDirectory()) / word).lexically_normal().string();
    while (path.size() > 1 && path.ends_with('/')) {
        path.pop_back();
    }
    if (path == root) {
        return "";
    }
    return path.starts_with(root + '/') ? std::optional(path.substr(root.size() + 1)) : std::nullopt;
}

OrStatus<SessionInfo> takeSession(api::Engine& engine, std::vector<std::string>& words,
                                  api::Engine::Candidates candidates)
{
    const auto found = words.empty()
        ? Result<std::vector<SessionInfo>>()
        : engine.findSessions(words.front(), currentDirectory(), api::Engine::Candidates::All);
    if (!found || found->empty()) {
        return chooseSession(engine, {}, candidates);
    }
    const std::string word = words.front();
    const auto isNamed = [&word](const SessionInfo& session) { return session.id.text() == word; };
    const auto isHere
        = [](const SessionInfo& session) { return pathBelow(session.project, ".").has_value(); };
    if (!std::ranges::any_of(*found, isNamed)) {
        if (!std::ranges::any_of(*found, isHere)) {
            return chooseSession(engine, {}, candidates);
        }
        if (isPathHere(word)) {
            const std::string shown = displayEscape(word);
            complain("find '" + shown + "': it is a path here and the name of a session; write './" + shown
                     + "' for the path, or the session's whole id");
            return tl::unexpected(kUsage);
        }
    }
    words.erase(words.begin());
    return chooseSession(engine, word, api::Engine::Candidates::All);
}

OrStatus<SessionWords> readWords(api::Engine& engine, std::vector<std::string> words,
                                 api::Engine::Candidates candidates)
{
    OrStatus<SessionInfo> session = takeSession(engine, words, candidates);
    if (!session) {
        return tl::unexpected(session.error());
    }
    SessionWords result{*std::move(session), {}};
    for (const std::string& word : words) {
        auto path = pathBelow(result.session.project, word);
        if (!path) {
            complain("find '" + displayEscape(word) + "': it is not in "
                     + displayEscape(result.session.project) + ", the project of "
                     + result.session.id.text());
            return tl::unexpected(kNoSuchThing);
        }
        result.paths.push_back(std::move(*path));
    }
    return result;
}

} // namespace revet::cli
