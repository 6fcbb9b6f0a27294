// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/undo_keeper.h"

#include "engine/base/directory.h"
#include "engine/base/log.h"
#include "engine/domain/display_escape.h"
#include "engine/domain/places.h"
#include "engine/domain/size_text.h"
#include "engine/os/open_beneath.h"
#include "engine/session/undo_files.h"
#include "engine/workspace/pre_image_place.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace revet::session {

using supervisor::Found;
using supervisor::InodeKey;
using supervisor::Judgement;
using supervisor::keyOf;
using supervisor::Place;
using supervisor::Precaution;
using supervisor::Refusal;
using supervisor::Root;
using workspace::Kept;
using workspace::PreImageStore;

namespace {

Refusal refusalOf(const Error& error)
{
    const bool isFull
        = error.errnoValue == ENOSPC || error.errnoValue == EDQUOT || error.code == ErrorCode::LimitExceeded;
    return {"undo: " + toString(error), isFull ? ENOSPC : EPERM};
}

/// Whether the program of `tid` is git's own, from a directory that no box can write to.
bool isGit(int tid)
{
    std::array<char, PATH_MAX> text{};
    const std::string link = "/proc/" + std::to_string(tid) + "/exe";
    const ssize_t length = ::readlink(link.c_str(), text.data(), text.size());
    const std::string_view program(text.data(), length < 0 ? 0 : static_cast<std::size_t>(length));
    return program == "/usr/bin/git" || program == "/usr/local/bin/git"
        || program.starts_with("/usr/lib/git-core/") || program.starts_with("/usr/libexec/git-core/");
}

/// Of few entries at the top a person may well remove some; half of many is not work.
workspace::Brake::Limits limitsFor(const UndoKeeper::Setup& setup)
{
    workspace::Brake::Limits limits = setup.brake;
    std::uint32_t entries = 0;
    const auto count = [&entries](const std::filesystem::directory_entry&) {
        ++entries;
        return true;
    };
    // What cannot be listed has no half.
    static_cast<void>(forEachEntry(setup.roots.front(), count).has_value());
    limits.topEntries = std::max(limits.topEntries, entries - entries / 2);
    return limits;
}

bool isInGitdir(std::string_view path)
{
    return path.starts_with(".git/") || path.find("/.git/") != std::string_view::npos;
}

} // namespace

struct UndoKeeper::Part
{
    std::string root;
    PreImageStore store;
    bool isProject = false;
};

struct UndoKeeper::HostSpot
{
    Part* part = nullptr;
    int directory = -1;
    std::string name;
    std::string path;

    [[nodiscard]] workspace::Spot get() const { return {directory, name, path}; }
};

UndoKeeper::UndoKeeper(const Setup& setup, const Clock& clock)
    : m_session(setup.session)
    , m_clock(clock)
    , m_contents(setup.roots.front(), setup.buildOutput)
    , m_brake(limitsFor(setup))
    , m_isReleased(setup.isReleased)
    , m_limits(setup.limits)
{
}

UndoKeeper::~UndoKeeper() = default;

Result<std::unique_ptr<UndoKeeper>> UndoKeeper::create(const Setup& setup, const Clock& clock)
{
    std::unique_ptr<UndoKeeper> keeper(new UndoKeeper(setup, clock));
    for (std::size_t i = 0; i < setup.roots.size(); ++i) {
        PreImageStore::Setup store;
        store.root = setup.roots[i];
        store.manifest = workspace::preImagesDirectory(setup.directory, i);
        store.limits = setup.limits;
        REVET_RETURN_IF_ERROR(makePrivateDirectory(store.manifest));
        REVET_ASSIGN_OR_RETURN(
            auto place,
            workspace::choosePreImagePlace(store.root, store.manifest,
                                           setup.session.text() + '-' + std::to_string(i)));
        store.objects = std::move(place.objects);
        store.canTake = place.canTake;
        if (i == 0) {
            store.isBuildOutput = [contents = &keeper->m_contents](std::string_view path) {
                return contents->isBuildOutput(path);
            };
        }
        REVET_ASSIGN_OR_RETURN(auto made, PreImageStore::create(std::move(store)));
        keeper->m_parts.push_back(std::make_unique<Part>(Part{setup.roots[i], std::move(made), i == 0}));
    }
    return keeper;
}

Result<int> UndoKeeper::hostDirectory(const Root& root, std::string_view path, const InodeKey* expected)
{
    if (expected != nullptr) {
        const auto known
            = std::find_if(m_directories.begin(), m_directories.end(), [&](const Directory& directory) {
                  return directory.fd.isOpen() && directory.key == *expected;
              });
        if (known != m_directories.end()) {
            return known->fd.get();
        }
    }
    UniqueFd fd = os::openBeneath(root.host.get(), std::string(relativeTo(root, path)), O_PATH | O_DIRECTORY);
    struct stat status = {};
    if (!fd || ::fstat(fd.get(), &status) != 0) {
        return failErrno("find a directory again");
    }
    if (expected != nullptr && keyOf(status) != *expected) {
        return fail(ErrorCode::Conflict, "find a directory again", "it is another one on the host");
    }
    Directory& place = m_directories[m_nextDirectory++ % m_directories.size()];
    place.key = keyOf(status);
    place.fd = std::move(fd);
    return place.fd.get();
}

Result<UndoKeeper::Part*> UndoKeeper::partOf(const Root& root)
{
    const auto found = std::find_if(m_parts.begin(), m_parts.end(),
                                    [&root](const auto& part) { return part->root == root.path; });
    if (found == m_parts.end()) {
        return fail(ErrorCode::NotFound, "keep what is about to change", "no such root");
    }
    m_last = found->get();
    return m_last;
}

Result<UndoKeeper::HostSpot> UndoKeeper::spotOf(const Place& place)
{
    struct stat status = {};
    if (::fstat(place.directory.get(), &status) != 0) {
        return failErrno("look at a directory");
    }
    const InodeKey key = keyOf(status);
    HostSpot spot;
    REVET_ASSIGN_OR_RETURN(spot.directory, hostDirectory(*place.root, place.directoryPath, &key));
    spot.name = place.name;
    spot.path = relativeTo(*place.root, place.path());
    REVET_ASSIGN_OR_RETURN(spot.part, partOf(*place.root));
    return spot;
}

Result<UndoKeeper::HostSpot> UndoKeeper::spotOf(const Root& root, const std::string& path)
{
    HostSpot spot;
    const bool isRoot = path == root.path;
    REVET_ASSIGN_OR_RETURN(spot.directory,
                           hostDirectory(root, isRoot ? path : supervisor::parentOf(path), nullptr));
    spot.name = isRoot ? std::string_view() : supervisor::nameOf(path);
    spot.path = relativeTo(root, path);
    REVET_ASSIGN_OR_RETURN(spot.part, partOf(root));
    return spot;
}

Precaution UndoKeeper::precaution(Result<Kept> kept)
{
    Precaution taken;
    if (!kept) {
        taken.refusal = refusalOf(kept.error());
        return taken;
    }
    taken.isDone = kept->isTakenAway;
    taken.failure = kept->failure;
    if (!kept->uncovered.empty()) {
        ++m_uncovered;
        taken.note = "not undoable: " + kept->uncovered;
    }
    return taken;
}

Judgement UndoKeeper::creating(const Place& place)
{
    const auto spot = spotOf(place);
    const auto ready = spot ? spot->part->store.creating(spot->get()) : fail(spot.error());
    return ready ? Judgement() : refusalOf(ready.error());
}

void UndoKeeper::created(const Place& place)
{
    const auto spot = spotOf(place);
    made(spot, spot ? spot->part->store.created(spot->get()) : fail(spot.error()));
}

Judgement UndoKeeper::linking(const Place& place, const Found& source)
{
    const auto spot = spotOf(place);
    const auto ready = spot
        ? spot->part->store.linking(spot->get(), std::string(relativeTo(*place.root, source.path)),
                                    source.object.get(), source.status)
        : fail(spot.error());
    return ready ? Judgement() : refusalOf(ready.error());
}

void UndoKeeper::linked(const Place& place)
{
    const auto spot = spotOf(place);
    made(spot, spot ? spot->part->store.linked(spot->get()) : fail(spot.error()));
}

void UndoKeeper::made(const Result<HostSpot>& spot, const Result<void>& noted)
{
    if (!noted) {
        // Its path is in the list; the file itself counts as one that was there before.
        log(LogLevel::Warning, "session", "note a new entry: " + toString(noted.error()));
    } else if (spot->part->isProject) {
        m_brake.made(spot->path);
    }
}

Precaution UndoKeeper::writing(const Root& root, const std::string& path, const struct stat& status)
{
    const auto spot = spotOf(root, path);
    return precaution(spot ? spot->part->store.writing(spot->get(), status) : fail(spot.error()));
}

Judgement UndoKeeper::changing(const Root& root, const std::string& path, const struct stat& status)
{
    const auto spot = spotOf(root, path);
    struct stat present = {};
    if (spot
        && ::fstatat(spot->directory, spot->name.c_str(), &present, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) == 0
        && keyOf(present) != keyOf(status)) {
        return {}; // what hides a file from the box, and is read-only
    }
    const auto saved = spot ? spot->part->store.changing(spot->get(), status) : fail(spot.error());
    return saved ? Judgement() : refusalOf(saved.error());
}

Judgement UndoKeeper::brake(int tid, const HostSpot& spot, const struct stat& status)
{
    if (!spot.part->isProject || spot.part->store.isBorn(spot.get(), status)
        || (S_ISDIR(status.st_mode) ? m_contents.isBuildOutput(spot.path)
                                    : m_contents.isMadeAnew(spot.path))) {
        return {};
    }
    // git removes what it tracks when it goes to another commit; the content is in its objects.
    if ((S_ISDIR(status.st_mode) || isInGitdir(spot.path) || m_contents.isTracked(spot.path)) && isGit(tid)) {
        return {};
    }
    auto why = m_brake.removing(spot.path, S_ISDIR(status.st_mode), m_clock.steadyNow());
    if (!why) {
        return {};
    }
    if (m_isReleased && m_isReleased()) { // each time: the person may take that back
        return {};
    }
    m_braked = *why;
    const std::string cover = m_uncovered == 0
        ? "`revet undo` brings back all that has gone so far"
        : "`revet undo` brings it back, but not " + std::to_string(m_uncovered) + " earlier changes";
    return Refusal{"brake: " + *why, EPERM,
                   supervisor::Crossing{AskKind::Brake, m_parts.front()->root,
                                        displayEscape(*why + " (" + m_brake.places() + ")") + "; " + cover}};
}

Precaution UndoKeeper::removing(int tid, const Place& place, const struct stat& status)
{
    const auto spot = spotOf(place);
    if (!spot) {
        return precaution(fail(spot.error()));
    }
    if (auto refusal = brake(tid, *spot, status)) {
        return Precaution{std::move(refusal), false, 0, {}};
    }
    PreImageStore& store = spot->part->store;
    return precaution(S_ISDIR(status.st_mode) ? store.removingDirectory(spot->get(), status)
                                              : store.removing(spot->get(), status));
}

Precaution UndoKeeper::replacing(const Place& place, const struct stat& status)
{
    const auto spot = spotOf(place);
    return precaution(spot ? spot->part->store.replacing(spot->get(), status) : fail(spot.error()));
}

Precaution UndoKeeper::renaming(const Place& from, const struct stat& status, const Place& to,
                                const struct stat* replaced)
{
    const auto target = spotOf(to);
    const auto source = target ? spotOf(from) : fail(target.error());
    if (!source) {
        return precaution(fail(source.error()));
    }
    Precaution taken
        = precaution(source->part->store.renaming(source->get(), status, target->get(), replaced));
    if (!taken.refusal && target->part->isProject) {
        m_brake.made(target->path);
    }
    return taken;
}

Precaution UndoKeeper::exchanging(const Place& one, const struct stat& status, const Place& other,
                                  const struct stat& otherStatus)
{
    const auto second = spotOf(other);
    const auto first = second ? spotOf(one) : fail(second.error());
    if (!first) {
        return precaution(fail(first.error()));
    }
    const auto noted = first->part->store.exchanging(first->get(), status, second->get(), otherStatus);
    return precaution(noted ? Result<Kept>(Kept{}) : fail(noted.error()));
}

void UndoKeeper::failed()
{
    if (m_last == nullptr) {
        return;
    }
    if (const auto voided = m_last->store.failed(); !voided) {
        // Who reads the log finds the act undone where it was the last one, and a difference to nothing else.
        log(LogLevel::Warning, "session", "take back a note: " + toString(voided.error()));
    }
}

std::string UndoKeeper::keptFrom(const struct stat& status) const
{
    for (const auto& part : m_parts) {
        if (const std::string* const path = part->store.takenFrom(status)) {
            return part->root + '/' + *path;
        }
    }
    return {};
}

void UndoKeeper::seal()
{
    Result<void> outcome;
    for (const auto& part : m_parts) {
        auto sealed = part->store.seal();
        outcome = outcome ? std::move(sealed) : outcome;
    }
    if (!outcome) {
        log(LogLevel::Info, "session", "note what a session leaves: " + toString(outcome.error()));
        outcome = sealUndoByReview(m_session);
    }
    if (!outcome) {
        log(LogLevel::Error, "session", toString(outcome.error()));
    }
}

void UndoKeeper::sync()
{
    for (const auto& part : m_parts) {
        if (const auto synced = part->store.sync(); !synced) {
            log(LogLevel::Error, "session", "keep what undo needs: " + toString(synced.error()));
        }
    }
}

std::string UndoKeeper::describeCover() const
{
    const bool takes = std::all_of(m_parts.begin(), m_parts.end(),
                                   [](const auto& part) { return part->store.setup().canTake; });
    return "undo: all changes but to build output and to files over " + sizeText(m_limits.largestCopy)
        + " in place"
        + (takes ? ""
                 : "; no place for it is on the project's mount, so all that changes is copied, up to "
                   + sizeText(m_limits.budget));
}

std::string UndoKeeper::describeEnd() const
{
    std::string text;
    if (m_brake.pulls() > 0) {
        text += m_brake.refused() == 0
            ? ", the brake held a burst that you let go on"
            : ", the brake refused " + std::to_string(m_brake.refused()) + " removals (" + m_braked + ')';
    }
    if (m_uncovered > 0) {
        text += ", " + std::to_string(m_uncovered)
            + (m_uncovered == 1 ? " change cannot be undone" : " changes cannot be undone");
    }
    return text;
}

} // namespace revet::session
