// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/preparation.h"

#include "engine/approval/inbox.h"
#include "engine/base/directory.h"
#include "engine/domain/display_escape.h"
#include "engine/session/box_socket.h"
#include "engine/session/closed_directory.h"
#include "engine/session/continuation.h"
#include "engine/session/git_identity.h"
#include "engine/session/hidden_files.h"
#include "engine/session/network_preparation.h"
#include "engine/session/program_place.h"
#include "engine/session/session_rules.h"
#include "engine/session/shown_paths.h"
#include "engine/session/start_lines.h"
#include "engine/session/status_file.h"
#include "engine/session/store_masks.h"
#include "engine/session/text_file.h"
#include "engine/session/toolchains.h"
#include "engine/session/workspace_record.h"
#include "engine/workspace/pre_image_place.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace revet::session {

namespace {

namespace fs = std::filesystem;

constexpr const char* kDefaultPath = "/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games";

/// A file and a directory without content, to hide things behind; made once and shared by all sessions.
Result<void> makeEmptyThings(const fs::path& data, tiers::BoxSpec& spec)
{
    spec.emptyFile = (data / "empty").string();
    spec.emptyDirectory = (data / "empty.d").string();
    const UniqueFd file(::open(spec.emptyFile.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0444));
    if (!file) {
        return failErrno("make " + spec.emptyFile);
    }
    return makePrivateDirectory(spec.emptyDirectory);
}

/// Of NAME=value.
std::string_view nameOf(std::string_view assignment)
{
    return assignment.substr(0, assignment.find('='));
}

/// The steps of prepare(): each fills its part of the result, from what those before it found.
class Preparer
{
public:
    Preparer(const ipc::RunRequest& request, const FoundProject& project, const Surroundings& surroundings,
             ShippedData& data)
        : m_request(request)
        , m_project(project)
        , m_surroundings(surroundings)
        , m_data(data)
        , m_account(surroundings.account)
        , m_tools(request.environment, surroundings.account.home, project.path)
    {
    }

    Result<Preparation> run()
    {
        REVET_RETURN_IF_ERROR(chooseProfile());
        m_result.info = m_surroundings.session;
        m_result.undo = m_surroundings.undo;
        m_result.directory = projectDirectory();
        REVET_RETURN_IF_ERROR(makeDirectories());
        REVET_RETURN_IF_ERROR(fillHome());
        REVET_RETURN_IF_ERROR(fillBinds());
        REVET_RETURN_IF_ERROR(hideFiles());
        REVET_RETURN_IF_ERROR(fillCommand());
        m_result.lines = startLines(
            m_request, m_project, m_surroundings, m_result,
            {m_profileNames, m_skippedProfiles, m_withheldVariables, m_hiddenIsComplete, m_droppedSigning});
        hideStores();
        return std::move(m_result);
    }

private:
    /// The named profiles, and those that the command and the project's files suggest.
    Result<void> chooseProfile();
    [[nodiscard]] bool isProgramBeyondBoxes() const;
    /// What this box changes on the host, without links; and what any of the user's boxes does.
    [[nodiscard]] std::vector<std::string> changeableHere() const;
    [[nodiscard]] std::vector<std::string> changeableByAnyBox() const;
    /// The session's and the project's own directories; the parts of the box that need no looking around.
    Result<void> makeDirectories();
    /// The private home: toolchains that show through, caches, git's identity.
    Result<void> fillHome();
    [[nodiscard]] Result<Toolchains> toolchainsInHome() const;
    /// The network, --socket, and --bind-ro and --bind-rw, never into Revet's own data; then the mount points
    /// of everything in the home.
    Result<void> fillBinds();
    /// Secrets within the project.
    Result<void> hideFiles();
    /// What undo keeps within the project: no secret, and nobody's to see or change.
    void hideStores();
    /// Arguments, filtered environment and working directory.
    Result<void> fillCommand();
    /// Those that the command's own profiles want.
    void addArguments(std::vector<std::string>& argv);
    /// What a profile sets a variable to: "~/…" is below the home, a token is the tool's own setting.
    [[nodiscard]] std::string profileValue(const std::string& value) const;
    [[nodiscard]] fs::path sessionDirectory() const
    {
        return m_surroundings.places.sessionDirectory(m_surroundings.session.id);
    }
    [[nodiscard]] fs::path projectDirectory() const
    {
        return m_surroundings.places.data / "projects" / m_surroundings.projectKey;
    }

    const ipc::RunRequest& m_request;
    const FoundProject& m_project;
    const Surroundings& m_surroundings;
    ShippedData& m_data;
    const Account& m_account;
    ToolConfiguration m_tools;
    policy::ResolvedProfile m_profile;
    std::vector<std::string> m_profileNames;
    std::vector<std::string> m_skippedProfiles; ///< of a program that a box may have made
    std::set<std::string> m_commandProfiles; ///< those that are about the command itself
    std::size_t m_withheldVariables = 0;
    bool m_hiddenIsComplete = true;
    std::vector<std::string> m_stores;
    bool m_droppedSigning = false;
    Preparation m_result;
};

Result<void> Preparer::chooseProfile()
{
    REVET_ASSIGN_OR_RETURN(const auto profiles, m_data.profiles());
    std::vector<std::string> entries;
    const auto note = [&entries](const fs::directory_entry& entry) {
        constexpr std::size_t kMaximumEntries = 1000;
        entries.push_back(entry.path().filename().string());
        return entries.size() < kMaximumEntries;
    };
    // What cannot be listed only suggests no profile.
    static_cast<void>(forEachEntry(m_project.path, note).has_value());
    m_profileNames = m_request.profiles;
    const std::string command = fs::path(m_request.command.front()).filename().string();
    const std::vector<std::string> fitting = profiles.detect("", entries);
    for (const std::string& name : profiles.detect(command, entries)) {
        if (std::ranges::find(m_profileNames, name) != m_profileNames.end()) {
            continue;
        }
        REVET_ASSIGN_OR_RETURN(const auto profile, profiles.resolve(name));
        const bool isGenerous = !profile.state.empty() || !profile.pass.empty() || !profile.managed.empty()
            || !profile.hosts.empty() || !profile.modelHosts.empty() || !profile.loginHosts.empty()
            || !profile.visible.empty() || !profile.settings.empty();
        const bool isNamed = std::ranges::find(fitting, name) == fitting.end();
        (isGenerous && isNamed && !isProgramBeyondBoxes() ? m_skippedProfiles : m_profileNames)
            .push_back(name);
    }
    if (m_profileNames.empty()) {
        m_profileNames.emplace_back("base");
    }
    std::ranges::copy_if(m_profileNames, std::inserter(m_commandProfiles, m_commandProfiles.end()),
                         [&](const std::string& name) { return profiles.isCommandOf(name, command); });
    REVET_ASSIGN_OR_RETURN(m_profile, profiles.resolve(m_profileNames));
    return {};
}

bool Preparer::isProgramBeyondBoxes() const
{
    const ProgramSearch search{environmentValue(m_request.environment, "PATH"), m_request.currentDirectory,
                               m_account.home, closedDirectory(projectDirectory(), "home").string(),
                               changeableByAnyBox()};
    return isBeyondBoxes(m_request.command.front(), search);
}

Result<void> Preparer::makeDirectories()
{
    tiers::BoxSpec& spec = m_result.spec;
    REVET_RETURN_IF_ERROR(makePrivateDirectory(sessionDirectory()));
    REVET_ASSIGN_OR_RETURN(const auto home, makeClosedDirectory(projectDirectory(), "home"));
    REVET_RETURN_IF_ERROR(makeEmptyThings(m_surroundings.places.data, spec));
    if (m_surroundings.session.tier == Tier::Container) {
        spec.layer = (sessionDirectory() / "layer").string();
    }
    if (m_surroundings.continues) {
        REVET_ASSIGN_OR_RETURN(
            m_result.uppers,
            takeLayer(m_surroundings.places, *m_surroundings.continues, m_surroundings.session.id));
    } else if (m_surroundings.session.tier == Tier::Container) {
        for (std::size_t i = 0; i <= m_project.sideRoots.size(); ++i) {
            const fs::path layer = tiers::layerPart(spec.layer, i);
            REVET_ASSIGN_OR_RETURN(auto upper, makeClosedDirectory(layer, "upper"));
            REVET_RETURN_IF_ERROR(makePrivateDirectory(layer / "work"));
            // The merged root shows the upper's mode, which must be the project's.
            struct stat info
            {
            };
            const std::string& lower = i == 0 ? m_project.path : m_project.sideRoots[i - 1];
            if (::stat(lower.c_str(), &info) == 0) {
                ::chmod(("/proc/self/fd/" + std::to_string(upper.get())).c_str(), info.st_mode & 07777);
            }
            m_result.uppers.push_back(std::move(upper));
        }
    }
    std::vector<std::string> roots{m_project.path};
    roots.insert(roots.end(), m_project.sideRoots.begin(), m_project.sideRoots.end());
    REVET_RETURN_IF_ERROR(recordWorkspace(sessionDirectory(), roots));
    spec.tier = m_surroundings.session.tier;
    spec.observe = m_result.info.observe;
    spec.project = m_project.path;
    spec.sideRoots = m_project.sideRoots;
    spec.uid = m_account.uid;
    spec.gid = m_account.gid;
    spec.userName = m_account.name;
    // The caller's umask came to us with the process.
    spec.fileModeMask = ::umask(077);
    ::umask(spec.fileModeMask);
    return {};
}

std::vector<std::string> Preparer::changeableHere() const
{
    std::vector<std::string> changeable{m_project.path};
    changeable.insert(changeable.end(), m_project.sideRoots.begin(), m_project.sideRoots.end());
    for (const std::string& path : m_request.bindReadWrite) {
        std::error_code error; // one that is not there is refused elsewhere
        changeable.push_back(fs::weakly_canonical(path, error).string());
    }
    return changeable;
}

std::vector<std::string> Preparer::changeableByAnyBox() const
{
    std::vector<std::string> changeable = changeableHere();
    changeable.insert(changeable.end(), m_surroundings.projects.begin(), m_surroundings.projects.end());
    return changeable;
}

Result<Toolchains> Preparer::toolchainsInHome() const
{
    const std::string path = environmentValue(m_request.environment, "PATH");
    const std::vector<std::string> changeable = changeableByAnyBox();
    return findToolchains({path, m_account.home, m_surroundings.places, m_profile, changeable,
                           [this] { return m_data.hidden(m_account.home); }});
}

Result<void> Preparer::fillHome()
{
    tiers::BoxSpec& spec = m_result.spec;
    spec.home = m_account.home;
    spec.privateHome = closedDirectory(projectDirectory(), "home").string();
    REVET_ASSIGN_OR_RETURN(auto toolchains, toolchainsInHome());
    spec.visible.insert(spec.visible.end(), toolchains.visible.begin(), toolchains.visible.end());
    spec.masked = std::move(toolchains.masked);
    REVET_ASSIGN_OR_RETURN(auto settings,
                           prepareSettings(m_profile, m_account.home, sessionDirectory() / "settings"));
    spec.visible.insert(spec.visible.end(), settings.begin(), settings.end());
    // What lies in the project is there already, with the project's rules.
    std::erase_if(spec.visible, [&](const tiers::VisiblePath& path) {
        return isWithin(path.host, m_project.path) || isWithin(m_project.path, path.host);
    });
    REVET_ASSIGN_OR_RETURN(
        auto caches,
        prepareCaches(m_profile, m_account.home, projectDirectory() / "caches", sessionDirectory()));
    spec.caches = std::move(caches.caches);
    REVET_ASSIGN_OR_RETURN(spec.shared,
                           prepareState(m_profile, m_account.home, m_surroundings.places.data / "state"));
    for (const auto& [path, content] : m_profile.managed) {
        spec.files.emplace(path, content.value);
    }
    m_result.locks = std::move(caches.locks);

    const auto userConfig = readText(fs::path(m_account.home) / ".gitconfig");
    GitIdentity identity = sanitiseGitConfig(userConfig ? std::string_view(*userConfig) : std::string_view());
    spec.gitConfig = std::move(identity.config);
    m_droppedSigning = identity.droppedSigning;
    return {};
}

Result<void> Preparer::fillBinds()
{
    const auto show = [this](const std::vector<std::string>& paths, tiers::VisiblePath::Access access) {
        return showPaths(paths, access, m_surroundings.places, m_result);
    };
    REVET_RETURN_IF_ERROR(show(m_request.bindReadOnly, tiers::VisiblePath::Access::ReadOnly));
    REVET_RETURN_IF_ERROR(show(m_request.bindReadWrite, tiers::VisiblePath::Access::ReadWrite));
    REVET_RETURN_IF_ERROR(
        relaySockets(m_request, sessionDirectory(), changeableHere(), m_surroundings.places, m_result));
    REVET_ASSIGN_OR_RETURN(auto rules,
                           sessionRules(m_request.allowedHosts, m_surroundings.network, m_profile, m_tools));
    m_result.network = std::move(rules.network);
    m_result.model = std::move(rules.model);
    return openNetwork(m_request, sessionDirectory(), m_surroundings.hasGrants, m_result);
}

Result<void> Preparer::hideFiles()
{
    for (const std::string& path : m_request.unhide) {
        if (!isWithin(path, m_project.path)) {
            return fail(ErrorCode::InvalidArgument, "unhide " + displayQuoted(path),
                        "it is not in the project " + displayQuoted(m_project.path)
                            + "; --bind-ro shows other paths");
        }
    }
    const fs::path memory = projectDirectory() / "hidden";
    REVET_ASSIGN_OR_RETURN(const auto before, readHiddenBefore(memory));
    REVET_ASSIGN_OR_RETURN(const auto table, m_data.hiddenNames());
    REVET_ASSIGN_OR_RETURN(const auto hidden,
                           findHiddenFiles(m_project.path, table, m_request.unhide, before));
    std::set<std::string> added;
    std::set_difference(hidden.names.begin(), hidden.names.end(), before.begin(), before.end(),
                        std::inserter(added, added.end()));
    REVET_RETURN_IF_ERROR(addHiddenBefore(memory, added)); // before a box could make git track them
    m_hiddenIsComplete = hidden.isComplete;
    m_stores = hidden.stores;
    std::vector<std::string>& masked = m_result.spec.masked;
    masked.insert(masked.end(), hidden.paths.begin(), hidden.paths.end());
    const auto note = [this](Verdict verdict, const std::string& path, const std::string& rule) {
        m_result.notes.push_back({ActionKind::Session, verdict, Reach::None, path, {}, rule, 0, 0});
    };
    for (const std::string& name : hidden.names) {
        note(Verdict::Withheld, m_project.path + "/" + name,
             hidden.nowTracked.contains(name) ? "hidden before git tracked it; --unhide shows it"
                                              : "hidden table");
    }
    if (!hidden.isComplete) {
        note(Verdict::Permitted, m_project.path, "hidden table: not all of the project was looked at");
    }
    if (!hidden.isIndexRead) {
        note(Verdict::Permitted, m_project.path + "/.git/index",
             "hidden table: unreadable, so tracks nothing");
    }
    return {};
}

void Preparer::hideStores()
{
    std::vector<std::string> roots{m_project.path};
    roots.insert(roots.end(), m_project.sideRoots.begin(), m_project.sideRoots.end());
    const bool isDirect = m_surroundings.session.tier == Tier::Sandbox;
    const std::vector<std::string> made = makeStoresWithin(roots, isDirect, m_surroundings.places.data);
    m_stores.insert(m_stores.end(), made.begin(), made.end());
    std::vector<std::string>& masked = m_result.spec.masked;
    for (const std::string& store : m_stores) {
        const bool isCovered = std::any_of(masked.begin(), masked.end(), [&store](const std::string& other) {
            return isWithin(store, other);
        });
        const bool isShown
            = isDirect || std::any_of(roots.begin(), roots.end(), [&](const std::string& root) {
                  return isWithin(store, root)
                      && workspace::areOnOneMount(fs::path(store).parent_path(), root);
              });
        if (!isCovered && isShown) {
            masked.push_back(store);
        }
    }
}

Result<void> Preparer::fillCommand()
{
    REVET_ASSIGN_OR_RETURN(const auto table, m_data.environment());
    std::vector<std::string> named;
    std::vector<std::string> environment = m_request.environment;
    for (const auto& item : m_profile.pass) {
        named.push_back(item.value);
    }
    for (const std::string& assignment : m_request.environmentAssignments) {
        const std::size_t equals = assignment.find('=');
        named.push_back(assignment.substr(0, equals));
        if (equals != std::string::npos) {
            std::erase_if(environment, [&](const std::string& variable) {
                return variable.starts_with(assignment.substr(0, equals + 1));
            });
            environment.push_back(assignment);
        }
    }
    policy::FilteredEnvironment filtered = policy::filterEnvironment(environment, table, named);
    m_withheldVariables = filtered.withheldNames.size();

    launcher::SpawnRequest& command = m_result.command;
    command.argv = m_request.command;
    addArguments(command.argv);
    command.environment = std::move(filtered.kept);
    const auto set = [&command](const std::string& name, const std::string& value) {
        std::erase_if(command.environment,
                      [&](const std::string& variable) { return variable.starts_with(name + "="); });
        command.environment.push_back(name + "=" + value);
    };
    for (const auto& [name, value] : m_profile.set) {
        const std::string text = profileValue(value.value);
        const bool isPersons = std::ranges::find(m_request.environmentAssignments, name, nameOf)
            != m_request.environmentAssignments.end();
        if (!text.empty() && !isPersons) {
            set(name, text);
        }
    }
    set("HOME", m_account.home);
    set("USER", m_account.name);
    set("LOGNAME", m_account.name);
    set("TMPDIR", "/tmp");
    set("XDG_RUNTIME_DIR", "/run/user/" + std::to_string(m_account.uid));
    set("REVET_SESSION", m_surroundings.session.id.text());
    if (m_result.spec.hasNetwork) {
        set("REVET_STATUS", std::string(StatusFile::kPlaceInBox) + '/' + StatusFile::kName);
        set("REVET_SOCKET", std::string(StatusFile::kPlaceInBox) + '/' + BoxSocket::kName);
    }
    if (environmentValue(command.environment, "PATH").empty()) {
        set("PATH", kDefaultPath);
    }
    const bool isInside = isWithin(m_request.currentDirectory, m_project.path);
    command.workingDirectory = isInside ? m_request.currentDirectory : m_project.path;
    return {};
}

void Preparer::addArguments(std::vector<std::string>& argv)
{
    std::vector<std::string> added;
    for (const auto& argument : m_profile.arguments) {
        const bool isThere = std::ranges::find(argv, argument.value) != argv.end();
        if (!isThere && m_commandProfiles.contains(argument.source)) {
            added.push_back(argument.value);
            m_result.notes.push_back({ActionKind::Session,
                                      Verdict::Permitted,
                                      Reach::None,
                                      argument.value,
                                      {},
                                      "argument of the profile " + argument.source,
                                      0,
                                      0});
        }
    }
    argv.insert(argv.begin() + 1, added.begin(), added.end());
}

std::string Preparer::profileValue(const std::string& value) const
{
    return policy::isHostToken(value) ? m_tools.find(value).value : expandHome(value, m_account.home);
}

} // namespace

fs::path statusDirectory(const fs::path& sessionDirectory)
{
    return sessionDirectory / "told";
}

SessionInfo describeSession(const ipc::RunRequest& request, const FoundProject& project, Tier tier)
{
    SessionInfo info;
    info.label = request.label;
    info.project = project.path;
    info.tier = tier;
    info.observe = request.observe.value_or(ObserveLevel::Full);
    info.command = request.command;
    info.started = SystemClock().now();
    info.sessionPid = ::getpid();
    return info;
}

Result<Preparation> prepare(const ipc::RunRequest& request, const FoundProject& project,
                            const Surroundings& surroundings, ShippedData& data)
{
    return Preparer(request, project, surroundings, data).run();
}

} // namespace revet::session
