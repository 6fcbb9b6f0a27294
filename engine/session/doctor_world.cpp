// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/doctor_world.h"

#include "engine/base/directory.h"
#include "engine/journal/remove_tree.h"
#include "engine/session/closed_directory.h"
#include "engine/session/doctor_process.h"
#include "engine/session/installation.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace revet::session {

namespace {

namespace fs = std::filesystem;
using Status = DoctorCheck::Status;

constexpr std::string_view kPrefix = "doctor-";
constexpr std::string_view kGitConfig = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n";

Result<void> writeNewFile(const fs::path& path, std::string_view text)
{
    const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file || ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
        return failErrno("write " + path.string());
    }
    return {};
}

Result<UniqueFd> lockDirectory(const fs::path& path)
{
    UniqueFd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!directory || ::flock(directory.get(), LOCK_EX | LOCK_NB) != 0) {
        return failErrno("lock " + path.string());
    }
    return directory;
}

Result<void> removeBelow(const fs::path& directory, const std::string& name)
{
    const UniqueFd parent(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!parent) {
        return failErrno("open " + directory.string());
    }
    return journal::removeTree(parent.get(), name);
}

/// Of doctors that were killed: nobody holds their lock.
void removeLeftovers(const fs::path& cache)
{
    const auto look = [&cache](const fs::directory_entry& entry) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with(kPrefix) && lockDirectory(entry.path())) {
            static_cast<void>(removeBelow(cache, name).has_value());
        }
        return true;
    };
    static_cast<void>(forEachEntry(cache, look).has_value());
}

ino_t inodeOf(const fs::path& path)
{
    struct stat info
    {
    };
    return ::lstat(path.c_str(), &info) == 0 ? info.st_ino : 0;
}

bool isThere(const fs::path& path)
{
    return inodeOf(path) != 0;
}

} // namespace

Result<DoctorWorld> DoctorWorld::create(const fs::path& cache)
{
    REVET_RETURN_IF_ERROR(makePrivateDirectory(cache));
    removeLeftovers(cache);
    std::error_code error;
    const fs::path real = fs::canonical(cache, error);
    if (error) {
        return fail(Error::fromErrno("find " + cache.string(), error.value()));
    }
    std::string name = (real / (std::string(kPrefix) + "XXXXXX")).string();
    if (::mkdtemp(name.data()) == nullptr) {
        return failErrno("make a directory in " + real.string());
    }
    DoctorWorld world;
    world.m_root = name;
    REVET_ASSIGN_OR_RETURN(world.m_lock, lockDirectory(world.m_root));
    REVET_RETURN_IF_ERROR(world.fill());
    return world;
}

DoctorWorld::DoctorWorld(DoctorWorld&& other) noexcept
    : m_root(std::exchange(other.m_root, {}))
    , m_places(std::move(other.m_places))
    , m_lock(std::move(other.m_lock))
    , m_repository(other.m_repository)
{
}

DoctorWorld::~DoctorWorld()
{
    static_cast<void>(remove().has_value());
}

Result<void> DoctorWorld::fill()
{
    // As Places::find() lays them out below the XDG variables of environment().
    m_places.config = m_root / "config/revet";
    m_places.data = m_root / "data/revet";
    m_places.runtime = m_root / "run/revet";
    m_places.cache = m_root / "cache/revet";
    for (const fs::path& place : {m_places.config, m_places.data, m_places.runtime, m_places.cache}) {
        REVET_RETURN_IF_ERROR(makePrivateDirectory(place));
    }
    const fs::path git = project() / ".git";
    for (const char* directory : {"hooks", "objects", "refs/heads"}) {
        REVET_RETURN_IF_ERROR(makePrivateDirectory(git / directory));
    }
    REVET_RETURN_IF_ERROR(writeNewFile(git / "HEAD", "ref: refs/heads/main\n"));
    REVET_RETURN_IF_ERROR(writeNewFile(git / "config", kGitConfig));
    m_repository = inodeOf(git);
    return writeNewFile(m_root / "canary", "nobody in a box reads this\n");
}

std::vector<std::string> DoctorWorld::environment() const
{
    const std::array<std::pair<std::string, fs::path>, 4> variables{{{"XDG_CONFIG_HOME=", m_root / "config"},
                                                                     {"XDG_DATA_HOME=", m_root / "data"},
                                                                     {"XDG_RUNTIME_DIR=", m_root / "run"},
                                                                     {"XDG_CACHE_HOME=", m_root / "cache"}}};
    std::vector<std::string> environment = ownEnvironment();
    for (const auto& [name, value] : variables) {
        std::erase_if(environment,
                      [&prefix = name](const std::string& variable) { return variable.starts_with(prefix); });
        environment.push_back(name + value.string());
    }
    return environment;
}

std::vector<DoctorCheck> DoctorWorld::hostChecks(Tier tier, const fs::path& layer) const
{
    const auto check = [](std::string name, bool isOk, std::string good, std::string bad) {
        return DoctorCheck{std::move(name),
                           isOk ? Status::Ok : Status::Unavailable,
                           isOk ? std::move(good) : std::move(bad),
                           {}};
    };
    // The sandbox lets a repository that holds nothing unsafe be renamed; nothing may come to lie in it.
    const bool isRenamed = tier != Tier::Container && isThere(project() / ".git-aside");
    const fs::path repository = project() / (isRenamed ? ".git-aside" : ".git");
    const auto config = readText(repository / "config");
    bool isGitUntouched = inodeOf(repository) == m_repository && config && *config == kGitConfig;
    for (const char* hooks : {".git/hooks", ".git-aside/hooks"}) {
        std::error_code error; // of a directory that is not there
        isGitUntouched = isGitUntouched && (fs::is_empty(project() / hooks, error) || error);
    }
    const auto written = readText(project() / "written");
    const bool hasArrived = written && *written == "written";
    std::vector<DoctorCheck> checks;
    checks.push_back(check("host: nothing was written outside",
                           !isThere(m_root / "planted") && !isThere("/usr/planted") && !isThere("/planted"),
                           "no file arrived", "a file arrived"));
    checks.push_back(check("host: .git holds nothing new", isGitUntouched, "no hook, the same settings",
                           "it was changed"));
    if (tier == Tier::Container) {
        const fs::path upper = closedDirectory(layer, "upper");
        ::chmod(upper.parent_path().c_str(), S_IRWXU); // nothing of this world is anybody's project
        checks.push_back(check("host: writes stay in the layer",
                               !isThere(project() / "written") && isThere(upper / "written"),
                               "the project is as it was", "the project was changed, or the layer is empty"));
    } else {
        checks.push_back(check("host: writes arrive in the project", hasArrived, "the file is there",
                               "the file is not there"));
    }
    return checks;
}

Result<void> DoctorWorld::remove()
{
    if (m_root.empty()) {
        return {};
    }
    const fs::path root = std::exchange(m_root, {});
    return removeBelow(root.parent_path(), root.filename().string());
}

} // namespace revet::session
