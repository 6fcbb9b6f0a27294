// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/git_state.h"

#include "engine/base/unique_fd.h"
#include "engine/domain/display_escape.h"
#include "engine/os/open_beneath.h"
#include "engine/policy/git_rules.h"
#include "engine/policy/git_todo.h"
#include "engine/session/project_finder.h"

#include <algorithm>
#include <array>
#include <deque>
#include <iterator>
#include <memory>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace revet::session {

namespace {

constexpr int kMaximumEntries = 100'000; ///< as for files that are to be hidden
constexpr std::size_t kMaximumContent = std::size_t{64} * 1024;
/// Made by tools and large.
constexpr std::array<std::string_view, 7> kSkipped
    = {"node_modules", ".venv", "venv", "target", "build", "__pycache__", ".tox"};
constexpr std::array<std::string_view, 5> kFiles
    = {"config", "config.worktree", "commondir", "info/attributes", "objects/info/alternates"};
constexpr std::string_view kTodo = "rebase-merge/git-rebase-todo";

/// Below `root` and through no link: the files are whatever a box has made them.
UniqueFd openBelow(int root, const std::string& relative, std::uint64_t flags)
{
    const std::uint64_t reading = (flags & O_PATH) != 0 ? 0 : O_RDONLY | O_NONBLOCK | O_NOCTTY;
    return os::openBeneath(root, relative, flags | reading);
}

std::string contentOf(int file)
{
    std::string content(kMaximumContent, '\0');
    const ssize_t length = ::pread(file, content.data(), content.size(), 0);
    content.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
    return content;
}

std::string joined(const std::string& directory, std::string_view name)
{
    if (directory.empty() || name.empty()) {
        return directory + std::string(name);
    }
    return directory + "/" + std::string(name);
}

/// Names of a directory's entries, and which of them are directories themselves.
struct Listing
{
    std::vector<std::string> names;
    std::vector<std::string> directories;
};

} // namespace

class GitState::Walk
{
public:
    Walk(GitState& state, std::string root)
        : m_state(state)
        , m_rootPath(std::move(root))
        , m_root(::open(m_rootPath.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC))
    {
    }

    void run()
    {
        std::deque<std::string> waiting{std::string()};
        while (!waiting.empty() && m_looked <= kMaximumEntries) {
            const std::string directory = std::move(waiting.front());
            waiting.pop_front();
            const Listing listing = list(directory);
            const auto has = [&](std::string_view name) {
                return std::find(listing.names.begin(), listing.names.end(), name) != listing.names.end();
            };
            if (policy::hasGitdirShape(has)) {
                repository(directory);
                waiting.push_front(joined(directory, "modules"));
                waiting.push_front(joined(directory, "worktrees"));
                continue;
            }
            for (const std::string& name : listing.directories) {
                if (std::find(kSkipped.begin(), kSkipped.end(), name) == kSkipped.end()) {
                    // Repositories first: in a large project the bound is reached before its end.
                    const bool isFirst = name == ".git";
                    waiting.insert(isFirst ? waiting.begin() : waiting.end(), joined(directory, name));
                }
            }
        }
    }

private:
    Listing list(const std::string& directory)
    {
        Listing listing;
        UniqueFd fd = openBelow(m_root.get(), directory, O_DIRECTORY);
        const std::unique_ptr<DIR, int (*)(DIR*)> stream(fd ? ::fdopendir(fd.get()) : nullptr, ::closedir);
        if (!stream) {
            return listing;
        }
        const int own = fd.release(); // the stream has it
        // NOLINTNEXTLINE(concurrency-mt-unsafe): a stream of its own
        while (const dirent* const entry = ::readdir(stream.get())) {
            const std::string name = static_cast<const char*>(entry->d_name);
            if (name == "." || name == ".." || ++m_looked > kMaximumEntries) {
                continue;
            }
            struct stat status = {};
            unsigned type = entry->d_type;
            if (type == DT_UNKNOWN && ::fstatat(own, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
                type = IFTODT(status.st_mode);
            }
            if (type == DT_DIR) {
                listing.directories.push_back(name);
            } else if (type == DT_LNK) {
                m_state.m_links.push_back(joined(m_rootPath, joined(directory, name)));
            }
            listing.names.push_back(name);
        }
        return listing;
    }

    void repository(const std::string& gitdir)
    {
        m_state.m_repositories.insert(joined(m_rootPath, gitdir));
        for (const std::string_view name : kFiles) {
            file(joined(gitdir, name));
        }
        const std::string hooks = joined(gitdir, "hooks");
        for (const std::string& name : list(hooks).names) {
            if (!name.ends_with(".sample")) {
                file(joined(hooks, name));
            }
        }
        command(joined(gitdir, kTodo), policy::commandsOfTodo);
        command(joined(gitdir, "rebase-merge/strategy"), policy::commandsOfStrategy);
        command(joined(gitdir, "sequencer/opts"), policy::commandsOfOptions);
    }

    void command(const std::string& relative, std::vector<std::string> (*commandsOf)(std::string_view))
    {
        const UniqueFd file = openBelow(m_root.get(), relative, 0);
        for (std::string& command : commandsOf(file ? contentOf(file.get()) : std::string())) {
            m_state.m_commands.insert({joined(m_rootPath, relative), std::move(command)});
        }
    }

    void file(const std::string& relative)
    {
        const UniqueFd handle = openBelow(m_root.get(), relative, O_PATH | O_NOFOLLOW);
        struct stat status = {};
        if (!handle || ::fstat(handle.get(), &status) != 0) {
            return;
        }
        const UniqueFd readable = S_ISREG(status.st_mode) ? openBelow(m_root.get(), relative, 0) : UniqueFd();
        m_state.m_files[joined(m_rootPath, relative)] = std::to_string(status.st_mode) + ' '
            + std::to_string(status.st_size) + ' ' + (readable ? contentOf(readable.get()) : std::string());
    }

    GitState& m_state;
    std::string m_rootPath;
    UniqueFd m_root;
    int m_looked = 0;
};

GitState GitState::of(const std::vector<std::string>& roots)
{
    GitState state;
    for (const std::string& root : roots) {
        Walk(state, root).run();
    }
    return state;
}

std::vector<GitState::Command> GitState::commandsSince(const GitState& earlier) const
{
    std::vector<Command> commands;
    std::set_difference(m_commands.begin(), m_commands.end(), earlier.m_commands.begin(),
                        earlier.m_commands.end(), std::back_inserter(commands));
    return commands;
}

std::vector<Fact> GitState::changesSince(const GitState& earlier) const
{
    std::vector<Fact> facts;
    const auto tell = [&facts](const std::string& target, const std::string& rule) {
        facts.push_back({ActionKind::Session, Verdict::Permitted, Reach::None, target, {}, rule, 0, 0});
    };
    for (const std::string& repository : m_repositories) {
        if (!earlier.m_repositories.contains(repository)) {
            tell(repository, "git: a repository that is new since the start");
        }
    }
    for (const std::string& repository : earlier.m_repositories) {
        if (!m_repositories.contains(repository)) {
            tell(repository, "git: a repository that is gone since the start");
        }
    }
    for (const auto& [path, what] : m_files) {
        const auto before = earlier.m_files.find(path);
        if (before == earlier.m_files.end()) {
            // A new repository has all of its files anew.
            const auto isNewAround = [&, &file = path](const std::string& repository) {
                return isWithin(file, repository) && !earlier.m_repositories.contains(repository);
            };
            if (std::none_of(m_repositories.begin(), m_repositories.end(), isNewAround)) {
                tell(path, "git: new since the start");
            }
        } else if (before->second != what) {
            tell(path, "git: changed since the start");
        }
    }
    for (const auto& [path, what] : earlier.m_files) {
        if (!m_files.contains(path)) {
            tell(path, "git: gone since the start");
        }
    }
    for (const Command& command : commandsSince(earlier)) {
        tell(command.file, "git: an unfinished rebase would run: " + command.command);
    }
    return facts;
}

std::string GitState::warningSince(const GitState& earlier) const
{
    const std::vector<Command> commands = commandsSince(earlier);
    if (commands.empty()) {
        return {};
    }
    std::string text = "an unfinished rebase would run " + displayQuoted(commands.front().command);
    if (commands.size() > 1) {
        text += " and " + std::to_string(commands.size() - 1) + " more";
    }
    return text + ": look at " + displayQuoted(commands.front().file) + " before you continue it";
}

} // namespace revet::session
