// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/mask_keeper.h"

#include "engine/os/open_beneath.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>

#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

namespace revet::session {

using launcher::Errand;

namespace {

constexpr std::chrono::milliseconds kShortest{20};
constexpr std::chrono::milliseconds kLongest{500};
/// A rename(2) takes the mount away before it moves the name.
constexpr int kTriesUntold = 3;

Result<Errand> coveringWith(const std::string& path)
{
    std::error_code problem;
    Errand errand;
    errand.kind = Errand::Kind::Cover;
    errand.source = std::filesystem::canonical(path, problem).string();
    struct stat status = {};
    if (problem || ::stat(errand.source.c_str(), &status) != 0) {
        return failErrno("look at " + path);
    }
    errand.device = status.st_dev;
    errand.inode = status.st_ino;
    return errand;
}

bool isThat(const struct stat& status, const Errand& errand)
{
    return status.st_dev == errand.device && status.st_ino == errand.inode;
}

} // namespace

Result<MaskKeeper> MaskKeeper::create(const tiers::BoxSpec& spec, Parts parts)
{
    REVET_ASSIGN_OR_RETURN(Errand file, coveringWith(spec.emptyFile));
    REVET_ASSIGN_OR_RETURN(Errand directory, coveringWith(spec.emptyDirectory));
    const std::string path = "/proc/" + std::to_string(parts.keeper) + "/mountinfo";
    UniqueFd mounts(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!mounts) {
        return failErrno("watch the box's mounts");
    }
    return MaskKeeper(spec.masked, std::move(file), std::move(directory), std::move(mounts),
                      std::move(parts));
}

void MaskKeeper::check()
{
    m_missing = m_masked;
    m_pause = kShortest;
    checkMissing();
}

void MaskKeeper::checkMissing()
{
    std::array<char, 4096> events{};
    while (m_watch && ::read(m_watch.get(), events.data(), events.size()) > 0) { }
    std::erase_if(m_missing, [this](const std::string& path) { return hide(path); });
    if (m_missing.empty()) {
        m_watch.reset();
        m_next.reset();
        return;
    }
    m_next = m_parts.clock.steadyNow() + m_pause;
    m_pause = std::min(2 * m_pause, kLongest);
}

UniqueFd MaskKeeper::find(const std::string& path, int flags) const
{
    return os::openBeneath(m_parts.root.get(), path.empty() ? path : path.substr(1),
                           static_cast<std::uint64_t>(flags) | O_PATH);
}

void MaskKeeper::watchFor(const std::string& path)
{
    if (!m_watch) {
        m_watch.reset(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    }
    std::string above = path;
    UniqueFd directory;
    while (!directory && !above.empty()) {
        above.resize(above.rfind('/'));
        directory = find(above, O_DIRECTORY);
    }
    // One that cannot be watched, as the user's limit is used up, is looked for now and then.
    static_cast<void>(::inotify_add_watch(m_watch.get(),
                                          ("/proc/self/fd/" + std::to_string(directory.get())).c_str(),
                                          IN_CREATE | IN_MOVED_TO));
}

bool MaskKeeper::hide(const std::string& path)
{
    UniqueFd object = find(path, O_NOFOLLOW);
    if (!object) {
        watchFor(path);
        object = find(path, O_NOFOLLOW); // it may have come meanwhile
    }
    struct stat status = {};
    if (!object || ::fstat(object.get(), &status) != 0) {
        return false;
    }
    if (isThat(status, m_file) || isThat(status, m_directory)) {
        return true;
    }
    return cover(path, S_ISDIR(status.st_mode));
}

bool MaskKeeper::cover(const std::string& path, bool isDirectory)
{
    Errand errand = isDirectory ? m_directory : m_file;
    errand.target = path;
    const auto covered = m_parts.errands.run(errand);
    m_parts.treeChanged();
    const auto tell = [&](Verdict verdict, std::string rule) {
        m_parts.recorder.note({ActionKind::Session, verdict, Reach::None, path, {}, std::move(rule), 0, 0});
    };
    if (covered) {
        m_tries.erase(path);
        tell(Verdict::Withheld, "hidden table: the host has put another file there, hidden again");
    } else if (++m_tries[path] == kTriesUntold) {
        tell(Verdict::Failed,
             "hidden table: the host has put another file there, which shows: " + toString(covered.error()));
    }
    return covered.has_value();
}

} // namespace revet::session
