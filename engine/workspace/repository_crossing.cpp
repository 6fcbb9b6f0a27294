// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/repository_crossing.h"

#include "engine/base/clock.h"
#include "engine/workspace/commit_changes.h"
#include "engine/workspace/file_content.h"
#include "engine/workspace/history.h"
#include "engine/workspace/host_refs.h"
#include "engine/workspace/memory_file.h"
#include "engine/workspace/transaction_plan.h"
#include "engine/workspace/tree_path.h"

#include <algorithm>
#include <set>
#include <utility>

namespace revet::workspace {

namespace {

namespace fs = std::filesystem;

constexpr mode_t kRefMode = 0644;
constexpr mode_t kDirectoryMode = 0755;
constexpr std::string_view kNoId = "0000000000000000000000000000000000000000";
constexpr std::string_view kWorktrees = "worktrees/";
constexpr std::string_view kHead = "HEAD";

class Planner
{
public:
    Planner(ChangeSource& source, const std::vector<ReviewItem>& items, const CrossingPlace& place,
            const ApplyChoice& choice, std::string gitdir, fs::path scratch)
        : m_source(source)
        , m_items(items)
        , m_place(place)
        , m_choice(choice)
        , m_prefix(gitdir.empty() ? "" : gitdir + '/')
        , m_scratch(std::move(scratch))
    {
        m_plan.gitdir = std::move(gitdir);
    }
    Result<RepositoryPlan> run();
    Result<RepositoryPlan> commit(const MakeCommit& make);

private:
    [[nodiscard]] std::string unknownFormat() const;
    Result<void> openObjects();
    Result<std::string> textOf(const Change& change) const;
    Result<void> readHost();
    Result<void> readBox();
    void addLoose(const Change& change, const std::string& inside, std::set<std::string>& seen);
    [[nodiscard]] bool isRoomFor(const std::string& name) const;
    void hold(const std::string& name, Hold why, std::string text);
    Result<void> cross(const std::string& name, const std::string& id);
    Result<void> crossBeside(const std::string& name, const std::string& id);
    Result<void> move(const std::string& name, const std::string& to, const HostRef& host,
                      const std::string& id);
    Result<bool> isHeld(const std::string& name, const std::string& before, const std::string& after);
    Result<void> addFile(const std::string& path, const std::string& text, mode_t mode);
    Result<void> addDirectories(const std::string& path);
    Result<void> addLogLine(const std::string& name, const HostRef& host, const std::string& id);

    ChangeSource& m_source;
    const std::vector<ReviewItem>& m_items;
    const CrossingPlace& m_place;
    const ApplyChoice& m_choice;
    std::string m_prefix;
    fs::path m_scratch;
    RepositoryPlan m_plan;
    HostRefs m_host;
    GitRefs m_box; ///< what the box changed
    std::set<std::string> m_directories;
};

Result<std::string> Planner::textOf(const Change& change) const
{
    if (change.after.type != EntryType::File) {
        return std::string();
    }
    REVET_ASSIGN_OR_RETURN(const UniqueFd file, m_source.openAfter(change));
    return readContent(file, kLargestRefFile);
}

Result<void> Planner::readHost()
{
    REVET_ASSIGN_OR_RETURN(m_host, HostRefs::read(m_place.tree, m_prefix, m_place.head, m_place.bases));
    return {};
}

void Planner::addLoose(const Change& change, const std::string& inside, std::set<std::string>& seen)
{
    if (change.after.type == EntryType::Directory || !isCrossingRef(inside) || inside.ends_with(".lock")) {
        return;
    }
    seen.insert(inside);
    const auto id = readRef(textOf(change).value_or(""));
    if (id) {
        m_box[inside] = *id;
    } else if (change.after.exists()) {
        hold(inside, Hold::Unfit, "it names no commit");
    }
}

/// The refs that are otherwise in the box than on the host. One that the box removed stays.
Result<void> Planner::readBox()
{
    std::set<std::string> loose; // that have changed
    std::set<std::string> gone;
    GitRefs packed = m_host.packed();
    for (const ReviewItem& item : m_items) {
        const Change& change = item.change;
        if (change.kind == Change::Kind::Renamed && change.from.starts_with(m_prefix)) {
            gone.insert(change.from.substr(m_prefix.size()));
        }
        if (!change.path.starts_with(m_prefix)) {
            continue;
        }
        const std::string inside = change.path.substr(m_prefix.size());
        if (inside == "packed-refs" && change.after.type == EntryType::File) {
            REVET_ASSIGN_OR_RETURN(const std::string text, textOf(change));
            Result<GitRefs> refs = readPackedRefs(text);
            if (!refs) {
                hold(inside, Hold::Unfit, "it is not as git writes it");
                continue;
            }
            packed = *std::move(refs);
        } else if (!change.after.exists()) {
            gone.insert(inside);
        } else {
            addLoose(change, inside, loose);
        }
    }
    for (const auto& [name, id] : packed) {
        // A file of its own wins.
        const bool isHidden = loose.contains(name)
            || (!gone.contains(name) && m_host.entryAt(name).value_or(Entry()).exists());
        if (!isHidden && isCrossingRef(name)) {
            m_box[name] = id;
        }
    }
    std::erase_if(m_box, [this](const auto& ref) { return m_host.at(ref.first).id == ref.second; });
    for (const ReviewItem& item : m_items) {
        const Change& change = item.change;
        const std::string inside
            = change.path.starts_with(m_prefix) ? change.path.substr(m_prefix.size()) : "";
        const bool isWorktrees = inside.starts_with(kWorktrees) && inside.ends_with("/HEAD")
            && std::ranges::count(inside, '/') == 2;
        if (inside != kHead && !isWorktrees) {
            continue;
        }
        if (const auto id = readRef(textOf(change).value_or(""))) {
            const std::string of = inside.substr(0, inside.rfind('/'));
            m_box[isWorktrees ? "HEAD-" + of.substr(kWorktrees.size()) : inside] = *id;
        }
    }
    return {};
}

void Planner::hold(const std::string& name, Hold why, std::string text)
{
    m_plan.held.push_back({m_prefix + name, why, std::move(text)});
}

bool Planner::isRoomFor(const std::string& name) const
{
    const bool isInPlan = std::ranges::any_of(m_plan.refs, [&name](const RefCrossing& ref) {
        return ref.arrivesAs == name || ref.arrivesAs.starts_with(name + '/')
            || name.starts_with(ref.arrivesAs + '/');
    });
    return !isInPlan && m_host.hasRoomFor(name);
}

/// Whether what the commits would bring into the work tree needs a yes of its own.
Result<bool> Planner::isHeld(const std::string& name, const std::string& before, const std::string& after)
{
    CommitChanges changes(m_plan.objects->repository(), before, after);
    REVET_ASSIGN_OR_RETURN(std::vector<ReviewItem> reviewed,
                           review(changes, m_place.workTree, m_place.table, Renames::Apart));
    for (ReviewItem& item : reviewed) {
        // Where a commit holds a repository's files, they are files to the host.
        const ApplyItem applied = toApplyItem(std::move(item), true);
        if (applied.hold == Hold::None || (m_choice.releasesHeld && canBeReleased(applied.hold))) {
            continue;
        }
        hold(name, applied.hold, applied.change.path + (applied.why.empty() ? "" : ": " + applied.why));
        return true;
    }
    return false;
}

Result<void> Planner::addDirectories(const std::string& path)
{
    const std::string directory = parentOf(path);
    if (directory.empty() || m_directories.contains(directory)) {
        return {};
    }
    REVET_ASSIGN_OR_RETURN(const Entry present, lookAt(m_place.tree, directory));
    if (present.exists()) {
        return {};
    }
    REVET_RETURN_IF_ERROR(addDirectories(directory));
    m_directories.insert(directory);
    Operation operation;
    operation.path = directory;
    operation.wanted.type = EntryType::Directory;
    operation.wanted.mode = kDirectoryMode;
    m_plan.operations.push_back(std::move(operation));
    return {};
}

Result<void> Planner::addFile(const std::string& path, const std::string& text, mode_t mode)
{
    Operation operation;
    operation.path = path;
    REVET_ASSIGN_OR_RETURN(operation.expected, lookAt(m_place.tree, path));
    REVET_RETURN_IF_ERROR(addDirectories(path));
    operation.wanted.type = EntryType::File;
    operation.wanted.mode = operation.expected.exists() ? operation.expected.mode : mode;
    operation.isLocked = hasGitLock(path, m_prefix.empty());
    operation.content = [text] { return openMemoryFile(text); };
    m_plan.operations.push_back(std::move(operation));
    return {};
}

/// git's own record of where a branch was, where it keeps one; the ref's lock guards it, too.
Result<void> Planner::addLogLine(const std::string& name, const HostRef& host, const std::string& id)
{
    const std::string log = "logs/" + name;
    const Result<Entry> entry = lookAt(m_place.tree, m_prefix + log);
    if (!entry || entry->type != EntryType::File) {
        return {};
    }
    REVET_ASSIGN_OR_RETURN(std::string text, m_host.textAt(log, kLargestRefFile));
    const auto seconds
        = std::chrono::duration_cast<std::chrono::seconds>(SystemClock().now().time_since_epoch());
    text.append(host.id.empty() ? kNoId : host.id).append(" ").append(id);
    text += " Revet <revet@localhost> " + std::to_string(seconds.count()) + " +0000\trevet: apply "
        + m_place.session + '\n';
    return addFile(m_prefix + log, text, kRefMode);
}

Result<void> Planner::move(const std::string& name, const std::string& to, const HostRef& host,
                           const std::string& id)
{
    m_plan.refs.push_back({name, to, host.id, id, to == m_host.branch()});
    REVET_RETURN_IF_ERROR(addFile(m_prefix + to, id + '\n', kRefMode));
    return addLogLine(to, host, id);
}

Result<void> Planner::crossBeside(const std::string& name, const std::string& id)
{
    constexpr int kMostTries = 100;
    for (int number = 1; number < kMostTries; ++number) {
        const std::string to = besideName(name, m_place.session, number);
        const HostRef host = m_host.at(to);
        if (host.id == id) {
            return {}; // it has arrived
        }
        const bool isFree = host.id.empty() && !host.isOther;
        if (isRoomFor(to) && (isFree || (!host.id.empty() && m_plan.objects->reaches(id, host.id)))) {
            return move(name, to, host, id);
        }
    }
    hold(name, Hold::Unfit, "no name is free for it");
    return {};
}

Result<void> Planner::cross(const std::string& name, const std::string& id)
{
    if (!isSelected(m_prefix + name, m_choice.paths)) {
        return {};
    }
    if (!isPlainRefName(name.starts_with(kHead) ? "refs/heads/" + name.substr(kHead.size()) + 'x' : name)) {
        hold(name, Hold::Unfit, "its name could be taken for something else");
        return {};
    }
    const auto type = m_plan.objects->fetch(id);
    if (!type) {
        hold(name, Hold::Unfit, toString(type.error()));
        return {};
    }
    if (name.starts_with("refs/heads/") && *type != policy::GitObjectType::Commit) {
        hold(name, Hold::Unfit, "a branch that leads to no commit");
        return {};
    }
    const bool isBranch = name.starts_with("refs/") && name != "refs/stash";
    const HostRef host = isBranch ? m_host.at(name) : HostRef();
    const ObjectCrossing& objects = *m_plan.objects;
    const bool isBase = !host.id.empty() && m_host.isBase(name, host);
    if (!isBase && !host.id.empty() && objects.reaches(host.id, id)) {
        return {}; // the host has it, and more
    }
    if (!isBranch && name != "refs/stash") {
        const bool isHeldByBranch = std::ranges::any_of(
            m_plan.refs, [&](const RefCrossing& ref) { return objects.reaches(ref.after, id); });
        const bool isHosts = !m_host.head().empty() && objects.reaches(m_host.head(), id);
        if (isHeldByBranch || isHosts || objects.isHosts(id)) {
            return {};
        }
    }
    REVET_ASSIGN_OR_RETURN(const bool needsYes, isHeld(name, host.id.empty() ? m_host.head() : host.id, id));
    if (needsYes) {
        return {};
    }
    const bool mayMove = isBranch && !host.isOther && isRoomFor(name)
        && (host.id.empty() || isBase || objects.reaches(id, host.id));
    return mayMove ? move(name, name, host, id) : crossBeside(name, id);
}

Result<void> Planner::openObjects()
{
    std::vector<const Change*> changes;
    for (const ReviewItem& item : m_items) {
        changes.push_back(&item.change);
    }
    REVET_ASSIGN_OR_RETURN(
        auto objects, ObjectCrossing::open(m_source, changes, m_place.tree, m_prefix + "objects", m_scratch));
    m_plan.objects = std::make_unique<ObjectCrossing>(std::move(objects));
    return {};
}

/// In what way the host keeps its repository that Revet does not know; empty where it is known.
std::string Planner::unknownFormat() const
{
    const auto file = openFile(m_place.tree, m_prefix + "config");
    const auto text = file ? readContent(*file, kLargestRefFile) : fail(file.error());
    const auto entries = text ? policy::parseGitConfig(*text) : fail(text.error());
    for (const policy::GitConfigEntry& entry : entries.value_or(std::vector<policy::GitConfigEntry>())) {
        const bool isKnown = (entry.key != "extensions.objectformat" || entry.value == "sha1")
            && (entry.key != "extensions.refstorage" || entry.value == "files");
        if (!isKnown) {
            return "the repository has " + entry.key + " = " + entry.value + ", which Revet does not know";
        }
    }
    return {};
}

Result<RepositoryPlan> Planner::commit(const MakeCommit& make)
{
    if (const std::string unknown = unknownFormat(); !unknown.empty()) {
        return fail(ErrorCode::Refused, "commit the changes of " + m_place.session,
                    unknown + ": `revet apply` takes files over");
    }
    REVET_RETURN_IF_ERROR(readHost());
    REVET_RETURN_IF_ERROR(openObjects());
    const std::string name = "refs/heads/revet/" + m_place.session;
    const HostRef host = m_host.at(name);
    REVET_ASSIGN_OR_RETURN(const std::string id, make(m_plan.objects->repository(), m_host.head(), host.id));
    if (!id.empty()) {
        REVET_ASSIGN_OR_RETURN(const policy::GitObjectType type, m_plan.objects->fetch(id));
        static_cast<void>(type);
        const bool mayMove = !host.isOther && isRoomFor(name);
        REVET_RETURN_IF_ERROR(mayMove ? move(name, name, host, id) : crossBeside("refs/heads/commit", id));
    }
    return std::move(m_plan);
}

Result<RepositoryPlan> Planner::run()
{
    if (std::string unknown = unknownFormat(); !unknown.empty()) {
        const bool hasRefs = std::ranges::any_of(m_items, [this](const ReviewItem& item) {
            const std::string& path = item.change.path;
            return path.starts_with(m_prefix + "refs/") || path.starts_with(m_prefix + "reftable/")
                || path == m_prefix + "packed-refs";
        });
        if (hasRefs) {
            hold("refs", Hold::Unfit, std::move(unknown));
        }
        return std::move(m_plan);
    }
    REVET_RETURN_IF_ERROR(readHost());
    REVET_RETURN_IF_ERROR(readBox());
    if (m_box.empty()) {
        return std::move(m_plan);
    }
    REVET_RETURN_IF_ERROR(openObjects());
    for (const bool isHead : {false, true}) { // branches first, which may hold what HEAD has
        for (const auto& [name, id] : m_box) {
            if (name.starts_with(kHead) == isHead) {
                REVET_RETURN_IF_ERROR(cross(name, id));
            }
        }
    }
    return std::move(m_plan);
}

/// Of each repository that both have. A linked work tree's belongs to its repository.
std::set<std::string> gitdirsOf(const std::vector<ReviewItem>& items, int tree)
{
    std::set<std::string> gitdirs;
    for (const ReviewItem& item : items) {
        if (!item.isInRepository) {
            continue;
        }
        std::string gitdir = item.repository;
        const std::string name = gitdir.substr(gitdir.rfind('/') + 1);
        const std::string above = parentOf(gitdir);
        if (above == "worktrees" || above.ends_with("/worktrees")) {
            gitdir = parentOf(above);
        }
        if (isHostsRepository(tree, gitdir)) {
            gitdirs.insert(std::move(gitdir));
        }
    }
    return gitdirs;
}

} // namespace

bool isHostsRepository(int tree, const std::string& gitdir)
{
    const std::string prefix = gitdir.empty() ? "" : gitdir + '/';
    const auto isThere = [&](const char* name, EntryType type) {
        const Result<Entry> entry = lookAt(tree, prefix + name);
        return entry && entry->type == type;
    };
    return isThere("objects", EntryType::Directory) && isThere("refs", EntryType::Directory)
        && isThere("HEAD", EntryType::File);
}

Result<void> RepositoryPlan::placeObjects() const
{
    std::vector<std::string> ids;
    for (const RefCrossing& ref : refs) {
        ids.push_back(ref.after);
    }
    return objects ? objects->place(ids) : Result<void>();
}

Result<std::vector<RepositoryPlan>> planRepositories(ChangeSource& source,
                                                     const std::vector<ReviewItem>& items,
                                                     const CrossingPlace& place, const ApplyChoice& choice)
{
    REVET_RETURN_IF_ERROR(startGit());
    std::vector<RepositoryPlan> plans;
    for (const std::string& gitdir : gitdirsOf(items, place.tree)) {
        const fs::path scratch = place.scratch / std::to_string(plans.size());
        REVET_ASSIGN_OR_RETURN(RepositoryPlan plan,
                               Planner(source, items, place, choice, gitdir, scratch).run());
        plans.push_back(std::move(plan));
    }
    return plans;
}

Result<RepositoryPlan> planCommit(ChangeSource& source, const CrossingPlace& place, const std::string& gitdir,
                                  const MakeCommit& make)
{
    REVET_RETURN_IF_ERROR(startGit());
    return Planner(source, {}, place, {}, gitdir, place.scratch / "commit").commit(make);
}

bool hasGitLock(const std::string& path, bool isGitdir)
{
    policy::GitSplit split;
    if (!policy::isBelowGitdir(path, &split)) {
        if (!isGitdir) {
            return false;
        }
        split.inside = path;
    }
    return split.inside.starts_with("refs/") || split.inside == "config" || split.inside == "packed-refs";
}

} // namespace revet::workspace
