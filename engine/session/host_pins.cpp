// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/host_pins.h"

#include "engine/policy/git_config.h"
#include "engine/session/text_file.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

namespace revet::session {

namespace {

namespace fs = std::filesystem;

constexpr int kMaximumLinks = 40; ///< as the kernel follows
constexpr std::uintmax_t kMaximumConfiguration = std::uintmax_t{1} << 20U;
constexpr int kMaximumIncludes = 10; ///< as git follows

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
    void configuration(const fs::path& file, const fs::path& base, int depth = 0)
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
        const auto entries = policy::parseGitConfig(*text);
        if (!entries) {
            commands(*text, base); // any file that it names
            return;
        }
        for (const policy::GitConfigEntry& entry : *entries) {
            const bool isInclude = entry.key.starts_with("include") && entry.key.ends_with(".path");
            if (isInclude) {
                const fs::path included = resolved(entry.value, file.parent_path());
                pin(included);
                configuration(included, base, depth + 1);
            } else if (entry.key == "core.worktree") {
                const fs::path place = (file.parent_path() / entry.value).lexically_normal();
                add(m_pins.workTrees, place);
                repository(place);
            } else {
                values(entry, base);
            }
        }
    }

    void repository(const fs::path& workTree) { add(m_pins.repositories, workTree); }

    [[nodiscard]] policy::ProjectPins take() { return std::move(m_pins); }

private:
    void values(const policy::GitConfigEntry& entry, const fs::path& base)
    {
        constexpr std::array<std::string_view, 4> kPaths
            = {"core.hookspath", "core.fsmonitor", "core.attributesfile", "init.templatedir"};
        if (std::find(kPaths.begin(), kPaths.end(), entry.key) != kPaths.end()) {
            if (!entry.value.empty() && entry.value != "true" && entry.value != "false") {
                pin(resolved(entry.value, base));
            }
            return;
        }
        commands(entry.value, base);
    }

    /// Every word that is the path of a file.
    void commands(std::string_view text, const fs::path& base)
    {
        constexpr std::string_view kEnds = " \t\n'\";|&()<>=`$!";
        for (std::string_view rest = text; !rest.empty();) {
            const std::size_t end = std::min(rest.find_first_of(kEnds), rest.size());
            const std::string_view word = rest.substr(0, end);
            if (word.find('/') != std::string_view::npos) {
                const fs::path path = resolved(word, base);
                std::error_code error;
                if (fs::is_regular_file(path, error)) {
                    pin(path);
                }
            }
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }

    [[nodiscard]] fs::path resolved(std::string_view text, const fs::path& base) const
    {
        return text.starts_with("~/") ? m_home / text.substr(2) : base / text;
    }

    void add(std::vector<std::string>& list, const fs::path& path) const
    {
        for (const std::string& root : m_roots) {
            std::string relative = path.lexically_normal().lexically_relative(root).string();
            while (relative.ends_with('/')) {
                relative.pop_back();
            }
            const bool isBelow
                = !relative.empty() && relative != "." && relative != ".." && !relative.starts_with("../");
            // git's own rules decide in a gitdir.
            if (isBelow && relative != ".git" && !relative.starts_with(".git/")
                && relative.find("/.git/") == std::string::npos
                && std::find(list.begin(), list.end(), relative) == list.end()) {
                list.push_back(std::move(relative));
            }
        }
    }

    const std::vector<std::string>& m_roots;
    fs::path m_home;
    policy::ProjectPins m_pins;
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

policy::ProjectPins hostPins(const GitState& state, const policy::RunLaterTable& runLater,
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
        collector.configuration(gitdir / "config", base);
        collector.configuration(gitdir / "config.worktree", base);
    }
    for (const fs::path& configuration : configurations) {
        for (const fs::path& workTree : workTrees) {
            collector.configuration(configuration, workTree);
        }
    }
    for (const std::string& link : state.links()) {
        const std::string_view relative = relativeIn(roots, link);
        const auto match = runLater.match(relative);
        const bool isInGitdir = link.find("/.git/") != std::string::npos;
        if (isInGitdir || (match && match->cls == policy::RunLaterClass::Pinned)
            || runLater.couldHoldPinned(relative)) {
            collector.pin(link);
        }
    }
    return collector.take();
}

} // namespace revet::session
