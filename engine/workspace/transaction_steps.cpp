// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/base/reversed.h"
#include "engine/workspace/attributes.h"
#include "engine/workspace/open_object.h"
#include "engine/workspace/staging.h"
#include "engine/workspace/transaction_plan.h"
#include "engine/workspace/tree_path.h"

#include <set>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace revet::workspace {

namespace {

/// What a directory must let us do while its entries come and go, and while it moves itself.
constexpr mode_t kWritable = S_IWUSR | S_IXUSR;

class Maker
{
public:
    Maker(const Scene& scene, Plan& plan)
        : m_scene(scene)
        , m_plan(plan)
    {
    }
    Result<std::vector<Step>> run();

private:
    struct Incoming
    {
        Entry object;
        std::uint32_t slot = 0;
    };
    Slot newSlot() { return {m_scene.objects, slotName(m_slots++)}; }
    Result<void> touchParent(const std::string& path);
    void keepTimes();
    Result<void> unlock(const std::string& path, const Entry& present);
    Result<Entry> stageNew(const Slot& slot, const Operation& operation) const;
    Result<Entry> stageName(const Slot& slot, const Operation& operation);
    Result<void> adoptGroup(const Slot& slot, const std::string& path, Entry& staged) const;
    Result<void> stage(const std::string& path, Planned& planned);
    void takeOut(const std::string& path, Planned& planned);
    void bringIn(const std::string& path, const Planned& planned);
    [[nodiscard]] bool isBelowLeaving(const std::string& path) const;
    [[nodiscard]] bool isSwap(const std::string& path, const Planned& planned) const;
    [[nodiscard]] bool needsAttributes(const std::string& path, const Planned& planned) const;
    Result<void> setAttributes(const std::string& path, const Planned& planned);
    Result<void> takeLocks();
    void releaseLocks();

    Scene m_scene;
    Plan& m_plan;
    std::uint32_t m_slots = 0;
    std::map<std::string, Incoming> m_incoming;
    std::map<std::string, Entry> m_parents; ///< directories that get another time
    std::map<std::string, Entry> m_unlocked; ///< directories made writable, as they are then
    std::vector<Step> m_steps;
};

/// Whether a directory around the path goes away.
bool Maker::isBelowLeaving(const std::string& path) const
{
    for (std::string above = path; !above.empty();) {
        above = parentOf(above);
        const auto found = m_plan.find(above);
        if (found != m_plan.end() && !found->second.isDone && found->second.present.exists()
            && !isInPlace(found->second)) {
            return true;
        }
    }
    return false;
}

/// Whether the new object takes the place of the old one in one act. Not in a directory that goes away
/// itself, which has to be empty by then.
bool Maker::isSwap(const std::string& path, const Planned& planned) const
{
    const Entry& wanted = planned.operation.wanted;
    const bool isPair = wanted.exists() && planned.present.exists() && !planned.givesAway
        && !isInPlace(planned) && wanted.type != EntryType::Directory
        && planned.present.type != EntryType::Directory;
    return isPair && !isBelowLeaving(path);
}

Result<void> Maker::unlock(const std::string& path, const Entry& present)
{
    if ((present.mode & kWritable) == kWritable || m_unlocked.contains(path)) {
        return {};
    }
    Step step;
    step.kind = Step::Kind::SetAttributes;
    step.path = path;
    step.object = present;
    step.before = present;
    step.mode = present.mode | kWritable;
    m_unlocked[path] = present;
    m_unlocked[path].mode = step.mode;
    m_steps.push_back(std::move(step));
    return {};
}

Result<void> Maker::touchParent(const std::string& path)
{
    const std::string parent = parentOf(path);
    if (m_parents.contains(parent)) {
        return {};
    }
    const auto found = m_plan.find(parent);
    Entry entry;
    if (found != m_plan.end()) {
        entry = found->second.present;
    } else {
        REVET_ASSIGN_OR_RETURN(entry, lookAtDirectory(m_scene.tree, parent));
    }
    if (entry.type != EntryType::Directory) {
        return {}; // one that the plan makes
    }
    m_parents[parent] = entry;
    Step step;
    step.path = parent;
    step.object = entry;
    step.before = entry;
    step.mode = entry.mode;
    m_steps.push_back(std::move(step));
    return unlock(parent, entry);
}

/// What comes back brings its directories' times along: one that had none to bring back keeps its own.
void Maker::keepTimes()
{
    std::set<std::string> others;
    for (const auto& [path, planned] : m_plan) {
        if (!planned.isDone && !isInPlace(planned) && !planned.operation.isExact) {
            others.insert(parentOf(path));
        }
    }
    for (const auto& [path, entry] : m_parents) {
        if (!m_plan.contains(path) && !others.contains(path) && !isBelowLeaving(path)) {
            Step step;
            step.path = path;
            step.object = entry;
            step.before = entry;
            step.mode = entry.mode;
            step.changed = entry.changed;
            m_steps.push_back(std::move(step));
        }
    }
}

/// What is made in a directory with the setgid bit is of its group, as if it had been made there.
Result<void> Maker::adoptGroup(const Slot& slot, const std::string& path, Entry& staged) const
{
    std::string above = path;
    Entry directory;
    while (directory.type != EntryType::Directory) {
        above = parentOf(above);
        directory = lookAtDirectory(m_scene.tree, above).value_or(Entry());
    }
    REVET_ASSIGN_OR_RETURN(const UniqueFd opened, openObject(m_scene.tree, above));
    struct stat info = {};
    if (::fstat(opened.get(), &info) != 0 || (info.st_mode & S_ISGID) == 0) {
        return {};
    }
    if (::fchownat(slot.directory, slot.name.c_str(), static_cast<uid_t>(-1), info.st_gid,
                   AT_SYMLINK_NOFOLLOW)
        != 0) {
        return failErrno("give " + path + " to its directory's group");
    }
    if (staged.type == EntryType::Directory
        && ::fchmodat(slot.directory, slot.name.c_str(), staged.mode | S_ISGID, 0) != 0) {
        return failErrno("give " + path + " to its directory's group");
    }
    REVET_ASSIGN_OR_RETURN(staged, lookAt(slot.directory, slot.name));
    return {};
}

Result<Entry> Maker::stageName(const Slot& slot, const Operation& operation)
{
    const auto found = m_incoming.find(operation.linkTo);
    Parent source;
    int directory = m_scene.objects;
    const auto other = m_plan.find(operation.linkTo);
    if (found != m_incoming.end() && !other->second.operation.stored.empty() && !m_scene.isStoreFar) {
        // It comes into its slot by a step of its own.
        REVET_ASSIGN_OR_RETURN(source, openStored(m_scene.store, other->second.operation.stored));
        directory = source.directory.get();
    } else if (found != m_incoming.end() && !other->second.operation.from.empty()) {
        REVET_ASSIGN_OR_RETURN(source, openParent(m_scene.tree, other->second.operation.from));
        directory = source.directory.get();
    } else if (found != m_incoming.end()) {
        source.name = slotName(found->second.slot);
    } else {
        REVET_ASSIGN_OR_RETURN(source, openParent(m_scene.tree, operation.linkTo));
        directory = source.directory.get();
    }
    if (::linkat(directory, source.name.c_str(), slot.directory, slot.name.c_str(), 0) != 0) {
        return failErrno("link " + operation.path);
    }
    return lookAt(slot.directory, slot.name);
}

Result<Entry> Maker::stageNew(const Slot& slot, const Operation& operation) const
{
    Entry wanted = operation.wanted;
    wanted.mode = newMode(operation);
    switch (wanted.type) {
    case EntryType::Directory:
        return stageDirectory(slot, wanted);
    case EntryType::Link:
        return stageLink(slot, wanted);
    case EntryType::File:
        if (operation.content) {
            const Result<UniqueFd> like = openFile(m_scene.tree, operation.path);
            REVET_ASSIGN_OR_RETURN(const UniqueFd content, operation.content());
            return stageFile(slot, content, wanted, like ? like->get() : -1);
        }
        break;
    case EntryType::Absent:
    case EntryType::Fifo:
    case EntryType::Socket:
    case EntryType::Device:
        break;
    }
    return fail(ErrorCode::InvalidArgument, "make " + operation.path, "it has no content");
}

Result<void> Maker::stage(const std::string& path, Planned& planned)
{
    const Operation& operation = planned.operation;
    if (!operation.wanted.exists() || isInPlace(planned)) {
        return {};
    }
    if (!operation.from.empty()) {
        const Planned& giver = m_plan.find(operation.from)->second;
        m_incoming[path] = {giver.present, giver.slot};
        return {};
    }
    const std::uint32_t number = m_slots;
    const Slot slot = newSlot();
    if (!operation.stored.empty()) {
        REVET_ASSIGN_OR_RETURN(const Entry stored, lookAtStored(m_scene.store, operation.stored));
        if (!stored.exists()) {
            return fail(ErrorCode::NotFound, "bring back " + path, "what was kept of it is gone");
        }
        if (m_scene.isStoreFar) {
            REVET_ASSIGN_OR_RETURN(m_incoming[path].object, copyStored(m_scene, operation.stored, number));
            m_incoming[path].slot = number;
            return {};
        }
        Step step;
        step.kind = Step::Kind::Fetch;
        step.source = operation.stored;
        step.slot = number;
        step.object = stored;
        m_steps.push_back(std::move(step));
        m_incoming[path] = {stored, number};
        return {};
    }
    Result<Entry> made = operation.linkTo.empty() ? stageNew(slot, operation) : stageName(slot, operation);
    if (!made) {
        return fail(std::move(made).error());
    }
    if (operation.linkTo.empty()) {
        REVET_RETURN_IF_ERROR(adoptGroup(slot, path, *made));
    }
    m_incoming[path] = {*made, number};
    return {};
}

void Maker::takeOut(const std::string& path, Planned& planned)
{
    Step step;
    step.kind = Step::Kind::TakeOut;
    step.path = path;
    step.slot = planned.slot;
    step.before = planned.present;
    step.isWholeTree = planned.operation.isWholeTree;
    m_steps.push_back(std::move(step));
}

void Maker::bringIn(const std::string& path, const Planned& planned)
{
    Step step;
    step.isWholeTree = planned.operation.isWholeTree;
    step.isMerge = planned.operation.isMerge;
    step.kind = isSwap(path, planned) ? Step::Kind::Swap : Step::Kind::PutIn;
    step.path = path;
    step.slot = m_incoming[path].slot;
    step.object = m_incoming[path].object;
    if (step.kind == Step::Kind::Swap) {
        step.before = planned.present;
    }
    m_steps.push_back(std::move(step));
}

Result<void> Maker::setAttributes(const std::string& path, const Planned& planned)
{
    const Operation& operation = planned.operation;
    const auto incoming = m_incoming.find(path);
    const bool isNew = incoming != m_incoming.end();
    const auto unlocked = m_unlocked.find(path);
    Step step;
    step.kind = Step::Kind::SetAttributes;
    step.path = path;
    step.object = isNew ? incoming->second.object : planned.present;
    step.before = !isNew && unlocked != m_unlocked.end() ? unlocked->second : step.object;
    step.mode = operation.wanted.mode;
    step.changed = operation.wanted.changed;
    if (isNew && operation.wanted.type == EntryType::Directory && operation.stored.empty()
        && operation.from.empty()) {
        // Made anew: with the group's bit where it has one, without those that were asked for.
        step.mode = newMode(operation) | (step.object.mode & S_ISGID);
    }
    for (const auto& [name, value] : operation.attributes) {
        AttributeChange change{name, std::nullopt, value};
        if (!isNew || !operation.from.empty()) {
            REVET_ASSIGN_OR_RETURN(const UniqueFd object,
                                   openObject(m_scene.tree, isNew ? operation.from : path));
            REVET_ASSIGN_OR_RETURN(change.before, attributeOf(object.get(), name));
        }
        step.attributes.push_back(std::move(change));
    }
    m_steps.push_back(std::move(step));
    return {};
}

bool Maker::needsAttributes(const std::string& path, const Planned& planned) const
{
    const Operation& operation = planned.operation;
    const Entry& wanted = operation.wanted;
    if (!planned.isDone && (!operation.stored.empty() || !operation.linkTo.empty())) {
        // It may have been changed before it was kept, or by the name that it has still.
        const Entry& object = m_incoming.at(path).object;
        const bool hasMode = wanted.type == EntryType::Link || object.mode == wanted.mode;
        if (!hasMode || (wanted.changed != 0 && object.changed != wanted.changed)) {
            return true;
        }
    }
    const bool isDirectory = operation.wanted.type == EntryType::Directory;
    if (planned.isDone) {
        // It has the wanted time, but not after what happens in it.
        return isDirectory && operation.wanted.changed != 0 && m_parents.contains(path);
    }
    return operation.wanted.exists()
        && (isDirectory || isInPlace(planned) || !operation.attributes.empty() || !operation.from.empty());
}

/// Before anything else is done.
Result<void> Maker::takeLocks()
{
    for (const auto& [path, planned] : m_plan) {
        const auto parent = m_plan.find(parentOf(path));
        // A directory that comes or goes has nobody else's refs.
        const bool isInPlace = parent == m_plan.end()
            || (parent->second.present.type == EntryType::Directory
                && parent->second.operation.wanted.type == EntryType::Directory);
        const bool isFile
            = planned.present.type == EntryType::File || planned.operation.wanted.type == EntryType::File;
        if (planned.isDone || !planned.operation.isLocked || !isFile || !isInPlace) {
            continue;
        }
        // Who takes the lock back gives its directory the time that it had last of all.
        REVET_RETURN_IF_ERROR(touchParent(path));
        Step step;
        step.kind = Step::Kind::TakeLock;
        step.path = path + ".lock";
        step.slot = m_slots;
        const Slot slot = newSlot();
        const UniqueFd file(::openat(slot.directory, slot.name.c_str(),
                                     O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
        if (!file) {
            return failErrno("make " + step.path);
        }
        REVET_ASSIGN_OR_RETURN(step.object, lookAt(file));
        m_steps.push_back(std::move(step));
    }
    return {};
}

/// Before directories get their times.
void Maker::releaseLocks()
{
    std::vector<Step> steps;
    for (const Step& step : m_steps) {
        if (step.kind == Step::Kind::TakeLock) {
            steps.push_back(step);
            steps.back().kind = Step::Kind::Release;
        }
    }
    m_steps.insert(m_steps.end(), steps.begin(), steps.end());
}

Result<std::vector<Step>> Maker::run()
{
    REVET_RETURN_IF_ERROR(takeLocks());
    // A link's target is staged before the link.
    for (auto& [path, planned] : m_plan) {
        if (!planned.isDone && planned.present.exists() && !isInPlace(planned) && !isSwap(path, planned)) {
            planned.slot = m_slots++;
        }
    }
    for (auto& [path, planned] : m_plan) {
        if (planned.isDone || isInPlace(planned)) {
            continue;
        }
        REVET_RETURN_IF_ERROR(touchParent(path));
        if (planned.present.type == EntryType::Directory) {
            REVET_RETURN_IF_ERROR(unlock(path, planned.present));
        }
    }
    for (const bool isLink : {false, true}) {
        for (auto& [path, planned] : m_plan) {
            if (!planned.isDone && planned.operation.linkTo.empty() != isLink) {
                REVET_RETURN_IF_ERROR(stage(path, planned));
            }
        }
    }
    for (auto& [path, planned] : Reversed(m_plan)) {
        if (!planned.isDone && planned.present.exists() && !isInPlace(planned) && !isSwap(path, planned)) {
            takeOut(path, planned);
        }
    }
    for (const auto& [path, planned] : m_plan) {
        if (m_incoming.contains(path)) {
            bringIn(path, planned);
        }
    }
    releaseLocks();
    keepTimes();
    // Modes come last, and of what is deeper first: one may take away the way to what it holds.
    for (const auto& [path, planned] : Reversed(m_plan)) {
        if (needsAttributes(path, planned)) {
            REVET_RETURN_IF_ERROR(setAttributes(path, planned));
        }
    }
    for (const auto& [path, entry] : Reversed(m_unlocked)) {
        const auto found = m_plan.find(path);
        const bool isSet = found != m_plan.end() && needsAttributes(path, found->second);
        if (!isSet && (found == m_plan.end() || found->second.isDone) && !isBelowLeaving(path)) {
            Step step;
            step.kind = Step::Kind::SetAttributes;
            step.path = path;
            step.object = entry;
            step.before = entry;
            step.mode = m_parents[path].mode;
            m_steps.push_back(std::move(step));
        }
    }
    return std::move(m_steps);
}

} // namespace

Result<std::vector<Step>> makeSteps(const Scene& scene, Plan& plan)
{
    return Maker(scene, plan).run();
}

} // namespace revet::workspace
