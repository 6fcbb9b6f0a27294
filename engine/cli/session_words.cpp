// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/session_words.h"

#include "engine/cli/message.h"
#include "engine/domain/display_escape.h"

#include <filesystem>
#include <optional>

namespace revet::cli {

namespace {

namespace fs = std::filesystem;

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

} // namespace

OrStatus<SessionWords> readWords(api::Engine& engine, const std::vector<std::string>& words,
                                 api::Engine::Candidates candidates)
{
    const bool isNamed = !words.empty()
        && engine.findSessions(words.front(), currentDirectory(), api::Engine::Candidates::All).has_value();
    OrStatus<SessionInfo> session = isNamed
        ? chooseSession(engine, words.front(), api::Engine::Candidates::All)
        : chooseSession(engine, {}, candidates);
    if (!session) {
        return tl::unexpected(session.error());
    }
    SessionWords result{*std::move(session), {}};
    for (std::size_t i = isNamed ? 1 : 0; i < words.size(); ++i) {
        auto path = pathBelow(result.session.project, words[i]);
        if (!path) {
            complain("find '" + displayEscape(words[i]) + "': it is not in "
                     + displayEscape(result.session.project) + ", the project of "
                     + result.session.id.text());
            return tl::unexpected(kNoSuchThing);
        }
        result.paths.push_back(std::move(*path));
    }
    return result;
}

} // namespace revet::cli
