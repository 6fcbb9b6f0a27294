// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/host_pins.h"

#include "engine/policy/command_paths.h"
#include "engine/policy/git_config.h"
#include "engine/policy/git_values.h"
#include "engine/session/text_file.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace revet::session {

namespace {

namespace fs = std::filesystem;

constexpr int kMaximumLinks = 40; ///< as the kernel follows
constexpr std::uintmax_t kMaximumConfiguration = std::uintmax_t{1} << 20U;
constexpr int kMaximumIncludes = 10; ///< as git follows
constexpr std::size_t kMaximumPins
    = 4096; ///< every path that a box changes is compared with those of its names

/// Where relative paths of a configuration's includes are read from: a place in a repository or a work tree
/// that may be moved as a whole, relative to that; none where it cannot be.
using IncludePlace = std::optional<fs::path>;

class Collector
{
public:
    Collector(const std::vector<std::string>& roots, fs::path home)
        : m_roots(roots)
        , m_home(std::move(home))
    {
    }

    /// The path, what it leads to, and every link on the way.
    void pin(fs::path path)
    {
        for (int i = 0; i < kMaximumLinks; ++i) {
            path = path.lexically_normal();
            std::error_code error;
            add(m_pins.pinned, path);
            const fs::path parent = fs::weakly_canonical(path.parent_path(), error);
            if (!error) {
                path = parent / path.filename();
                add(m_pins.pinned, path);
            }
            const fs::path target = fs::read_symlink(path, error);
            if (error) {
                return;
            }
            path = path.parent_path() / target;
        }
    }

    /// `base` is where git reads relative paths of commands, the work tree.
    void configuration(const fs::path& file, const fs::path& base, const IncludePlace& place, int depth = 0)
    {
        std::error_code error;
        if (!fs::is_regular_file(file, error) || fs::file_size(file, error) > kMaximumConfiguration
            || error) {
            return;
        }
        auto text = readText(file);
        if (!text || depth > kMaximumIncludes || !m_read.emplace(file.string(), base.string()).second) {
            return;
        }
        // Ours is the stricter parser: a person may well write lines that go on in the next one.
        for (std::size_t at = 0; (at = text->find("\\\n", at)) != std::string::npos;) {
            text->replace(at, 2, " ");
        }
        auto entries = policy::parseGitConfig(*text);
        if (!entries) {
            entries = assignmentsIn(*text);
            commands(*text, base, Certainty::IfThere); // any file that it names
        }
        for (const policy::GitConfigEntry& entry : *entries) {
            if (entry.key == "core.worktree") {
                const fs::path workTree = (file.parent_path() / entry.value).lexically_normal();
                add(m_pins.workTrees, workTree);
                repository(workTree);
            } else if (policy::gitValueOf(entry.key) == policy::GitValue::Include) {
                include(entry.value, file, base, place, depth);
            } else {
                value(entry, base);
            }
        }
    }

    void repository(const fs::path& workTree) { add(m_pins.repositories, workTree); }

    /// Whether the link is a part of what is pinned, or may lead to it.
    [[nodiscard]] bool isOnTheWay(std::string_view link) const
    {
        const auto meets = [](std::string_view path, std::string_view pin) {
            const std::size_t length = std::min(path.size(), pin.size());
            const auto endsAName
                = [length](std::string_view text) { return text.size() == length || text[length] == '/'; };
            return path.substr(0, length) == pin.substr(0, length) && endsAName(path) && endsAName(pin);
        };
        for (std::string_view rest = link; !rest.empty();
             rest.remove_prefix(std::min(rest.find('/'), rest.size() - 1) + 1)) {
            const auto isMet = [&](const std::string& pin) { return meets(rest, pin); };
            if (std::any_of(m_pins.anywhere.begin(), m_pins.anywhere.end(), isMet)
                || (rest.size() == link.size()
                    && std::any_of(m_pins.pinned.begin(), m_pins.pinned.end(), isMet))) {
                return true;
            }
        }
        return false;
    }

    [[nodiscard]] std::size_t count() const { return m_known.size(); }
    [[nodiscard]] policy::ProjectPins take() { return std::move(m_pins); }

private:
    enum class Certainty : std::uint8_t { Run, IfThere };

    /// Of a text that is not read as git reads it: whatever could be one.
    static std::vector<policy::GitConfigEntry> assignmentsIn(std::string_view text)
    {
        std::vector<policy::GitConfigEntry> entries;
        while (!text.empty()) {
            const std::size_t end = std::min(text.find('\n'), text.size());
            // Every assignment may be an include or hooks by its name, and a section may begin in the line.
            if (auto line = policy::parseGitConfig("[include]\n" + afterSection(text.substr(0, end)))) {
                for (policy::GitConfigEntry& entry : *line) {
                    const std::string name = entry.key.substr(entry.key.rfind('.') + 1);
                    entry.key = (name == "path" ? "include." : "core.") + name;
                    entries.push_back(std::move(entry));
                }
            }
            text.remove_prefix(std::min(end + 1, text.size()));
        }
        return entries;
    }

    static std::string afterSection(std::string_view line)
    {
        const std::size_t close = line.find(']');
        const bool isSection = close != std::string_view::npos && close < line.find('=');
        return std::string(isSection ? line.substr(close + 1) : line);
    }

    void include(std::string_view value, const fs::path& file, const fs::path& base,
                 const IncludePlace& place, int depth)
    {
        const fs::path included = resolved(value, file.parent_path());
        pin(included);
        IncludePlace next;
        if (place && isRelative(value)) {
            next = (*place / value).lexically_normal();
            anywhere(*next, GitdirToo::Yes);
            next = next->parent_path();
        }
        configuration(included, base, next, depth + 1);
    }

    void value(const policy::GitConfigEntry& entry, const fs::path& base)
    {
        const std::string_view value = entry.value;
        if (value.empty() || value == "true" || value == "false") {
            return;
        }
        switch (policy::gitValueOf(entry.key)) {
        case policy::GitValue::Path:
            pin(resolved(value, base));
            if (isRelative(value)) {
                anywhere(value, GitdirToo::Yes);
            }
            return;
        case policy::GitValue::Program:
            if (value.find('/') != std::string_view::npos) {
                path(value, base, Certainty::Run);
            }
            [[fallthrough]];
        case policy::GitValue::Command:
            commands(value, base, Certainty::Run);
            return;
        case policy::GitValue::Include:
        case policy::GitValue::Other:
            commands(value, base, Certainty::IfThere);
            return;
        }
    }

    void commands(std::string_view text, const fs::path& base, Certainty certainty)
    {
        using Kind = policy::CommandPath::Kind;
        std::vector<fs::path> places{fs::path()};
        for (const policy::CommandPath& found : policy::commandPaths(text)) {
            switch (found.kind) {
            case Kind::From:
                places.emplace_back(found.path);
                break;
            case Kind::File:
                path(found.path, base, certainty);
                break;
            case Kind::Folder:
                if (certainty == Certainty::Run && found.path.front() != '~') {
                    const fs::path folder = fs::path(found.path);
                    pin(resolved(found.path, base));
                    anywhere(isRelative(found.path) ? folder : belowRoot(folder), GitdirToo::No);
                }
                break;
            case Kind::Word:
                for (const fs::path& place : places) {
                    if (certainty == Certainty::Run) {
                        path((place / found.path).string(), base, Certainty::IfThere);
                    }
                }
                break;
            }
        }
    }

    /// What a command runs or reads. A directory is not run.
    void path(std::string_view text, const fs::path& base, Certainty certainty)
    {
        const fs::path place = resolved(text, base);
        std::error_code error;
        const auto isThere = [&error](const fs::path& file) { return fs::is_regular_file(file, error); };
        const bool isFile = isThere(place)
            || (isRelative(text) && std::any_of(m_roots.begin(), m_roots.end(), [&](const std::string& root) {
                                return isThere(fs::path(root) / text);
                            }));
        if (!isFile && (certainty == Certainty::IfThere || fs::is_directory(place, error))) {
            return;
        }
        pin(place);
        anywhere(isRelative(text) ? fs::path(text) : belowRoot(place), GitdirToo::No);
    }

    [[nodiscard]] static bool isRelative(std::string_view text)
    {
        return !text.starts_with('/') && !text.starts_with("~/");
    }

    [[nodiscard]] fs::path resolved(std::string_view text, const fs::path& base) const
    {
        return text.starts_with("~/") ? m_home / text.substr(2) : base / text;
    }

    /// Empty where it is not below one.
    [[nodiscard]] fs::path belowRoot(const fs::path& path) const
    {
        for (const std::string& root : m_roots) {
            const std::string relative = path.lexically_normal().lexically_relative(root).string();
            if (!relative.empty() && relative != "." && relative != ".." && !relative.starts_with("../")) {
                return relative;
            }
        }
        return {};
    }

    enum class GitdirToo : std::uint8_t { No, Yes };

    void anywhere(const fs::path& path, GitdirToo gitdirToo)
    {
        std::string text = path.lexically_normal().string();
        while (text.starts_with("../")) {
            text.erase(0, 3);
        }
        while (text.ends_with('/')) {
            text.pop_back();
        }
        if (text.empty() || text == "." || text == "..") {
            return;
        }
        if (!gitdirOnly(text)) {
            note(m_pins.anywhere, text);
            // The names of git's own files are commands' to read, and git's to write.
            const bool hasDirectory = text.find('/') != std::string::npos;
            if (gitdirToo == GitdirToo::Yes || (hasDirectory && !isGitsOwn(text))) {
                note(m_pins.inGitdirs, text);
            }
        }
    }

    /// Notes a path that leads into a repository as one of it.
    bool gitdirOnly(const std::string& text)
    {
        const std::size_t at = ("/" + text).rfind("/.git/");
        if (at == std::string::npos) {
            return text == ".git" || text.ends_with("/.git");
        }
        if (const std::string inside = text.substr(at + 5); !isGitsOwn(inside)) {
            note(m_pins.inGitdirs, inside);
        }
        return true;
    }

    static bool isGitsOwn(std::string_view inside)
    {
        constexpr std::array<std::string_view, 15> kNames
            = {"refs",    "logs",        "objects",      "info",         "hooks",
               "modules", "worktrees",   "config",       "index",        "shallow",
               "lfs",     "packed-refs", "rebase-merge", "rebase-apply", "description"};
        const std::string_view first = inside.substr(0, inside.find('/'));
        const bool isUpper = std::all_of(first.begin(), first.end(), [](char byte) {
            return (byte >= 'A' && byte <= 'Z') || byte == '_';
        });
        return isUpper || std::find(kNames.begin(), kNames.end(), first) != kNames.end();
    }

    void add(std::vector<std::string>& list, const fs::path& path)
    {
        for (const std::string& root : m_roots) {
            std::string relative = path.lexically_normal().lexically_relative(root).string();
            while (relative.ends_with('/')) {
                relative.pop_back();
            }
            const bool isBelow
                = !relative.empty() && relative != "." && relative != ".." && !relative.starts_with("../");
            if (isBelow && !gitdirOnly(relative)) {
                note(list, std::move(relative));
            }
        }
    }

    void note(std::vector<std::string>& list, std::string path)
    {
        if (m_known.size() <= kMaximumPins && m_known.emplace(&list, path).second) {
            list.push_back(std::move(path));
        }
    }

    const std::vector<std::string>& m_roots;
    fs::path m_home;
    policy::ProjectPins m_pins;
    std::set<std::pair<const std::vector<std::string>*, std::string>> m_known;
    std::set<std::pair<std::string, std::string>> m_read;
};

/// Below the root around it.
std::string_view relativeIn(const std::vector<std::string>& roots, std::string_view path)
{
    for (const std::string& root : roots) {
        if (path.starts_with(root) && path.size() > root.size() && path[root.size()] == '/') {
            return path.substr(root.size() + 1);
        }
    }
    return {};
}

} // namespace

std::vector<fs::path> userGitFiles(const fs::path& home, const Places& places)
{
    return {home / ".gitconfig", places.config.parent_path() / "git/config"};
}

Result<policy::ProjectPins> hostPins(const GitState& state, const policy::RunLaterTable& runLater,
                                     const std::vector<std::string>& roots, const std::string& home,
                                     const std::vector<fs::path>& configurations)
{
    Collector collector(roots, home);
    std::set<fs::path> workTrees(roots.begin(), roots.end());
    for (const std::string& repository : state.repositories()) {
        const fs::path gitdir(repository);
        const fs::path base = gitdir.filename() == ".git" ? gitdir.parent_path() : fs::path(roots.back());
        if (gitdir.filename() == ".git") {
            collector.repository(base);
            workTrees.insert(base);
        }
        collector.configuration(gitdir / "config", base, fs::path());
        collector.configuration(gitdir / "config.worktree", base, fs::path());
    }
    for (const fs::path& configuration : configurations) {
        for (const fs::path& workTree : workTrees) {
            collector.configuration(configuration, workTree, std::nullopt);
        }
    }
    for (std::size_t before = 0, round = 0; round < kMaximumLinks; ++round) {
        for (const std::string& link : state.links()) {
            const std::string_view relative = relativeIn(roots, link);
            const auto match = runLater.match(relative);
            const bool isInGitdir = link.find("/.git/") != std::string::npos;
            if (isInGitdir || (match && match->cls == policy::RunLaterClass::Pinned)
                || runLater.couldHoldPinned(relative) || collector.isOnTheWay(relative)) {
                collector.pin(link);
            }
        }
        // What a link led to may hold links itself.
        if (std::exchange(before, collector.count()) == collector.count()) {
            break;
        }
    }
    if (collector.count() > kMaximumPins) {
        return fail(ErrorCode::LimitExceeded,
                    "start: git's configuration names more files than can be protected");
    }
    return collector.take();
}

} // namespace revet::session
