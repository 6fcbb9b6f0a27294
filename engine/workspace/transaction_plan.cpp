// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/transaction_plan.h"

#include "engine/workspace/attributes.h"
#include "engine/workspace/file_content.h"
#include "engine/workspace/listing.h"
#include "engine/workspace/open_object.h"
#include "engine/workspace/shared_files.h"
#include "engine/workspace/staged_index.h"
#include "engine/workspace/tree_path.h"

#include <algorithm>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace revet::workspace {

namespace {

constexpr mode_t kPermissions = S_IRWXU | S_IRWXG | S_IRWXO;

class Look
{
public:
    Look(int tree, int store, Plan& plan)
        : m_tree(tree)
        , m_store(store)
        , m_plan(plan)
    {
    }
    Result<std::vector<Conflict>> run();

private:
    void conflict(const std::string& path, std::string why) { m_conflicts.push_back({path, std::move(why)}); }
    Result<bool> look(const std::string& path, Entry& entry);
    Result<bool> isAsWanted(Planned& planned) const;
    Result<bool> hasAttributes(const Operation& operation) const;
    void compare(const Planned& planned);
    void settleMoves();
    [[nodiscard]] bool isBrought(const std::string& path) const;
    Result<void> checkParent(const std::string& path);
    Result<void> checkEntries(const Planned& planned);

    int m_tree;
    int m_store;
    Plan& m_plan;
    std::vector<Conflict> m_conflicts;
};

bool isMatch(const Entry& present, const Entry& expected, const Entry& wanted)
{
    if (!expected.exists() || expected.type != EntryType::Directory) {
        return expected.exists() ? present.isUntouchedSince(expected) : !present.exists();
    }
    // Times of directories change with what is in them, which has operations of its own. One that got its
    // mode back by hand, to be entered, is as it should be.
    return isSameObject(present, expected)
        && (present.mode == expected.mode || (wanted.exists() && present.mode == wanted.mode));
}

/// False: something is in the way, which has been noted.
Result<bool> Look::look(const std::string& path, Entry& entry)
{
    Result<Entry> found = lookAtDirectory(m_tree, path);
    if (found) {
        entry = *std::move(found);
        return true;
    }
    if (found.error().code != ErrorCode::Refused) {
        return fail(std::move(found).error());
    }
    // A link that the plan replaces has nothing below it.
    for (std::string above = parentOf(path); !above.empty(); above = parentOf(above)) {
        const auto upper = m_plan.find(above);
        if (upper != m_plan.end() && upper->second.present.type == EntryType::Link) {
            entry = Entry{};
            return true;
        }
    }
    conflict(path, "a link is on the way to it");
    return false;
}

Result<bool> Look::hasAttributes(const Operation& operation) const
{
    if (operation.attributes.empty()) {
        return true;
    }
    REVET_ASSIGN_OR_RETURN(const UniqueFd object, openObject(m_tree, operation.path));
    for (const auto& [name, value] : operation.attributes) {
        REVET_ASSIGN_OR_RETURN(const auto present, attributeOf(object.get(), name));
        if (present != value) {
            return false;
        }
    }
    return true;
}

Result<bool> Look::isAsWanted(Planned& planned) const
{
    Operation& operation = planned.operation;
    const Entry& wanted = operation.wanted;
    const Entry& present = planned.present;
    if (!wanted.exists() || wanted.type != present.type) {
        return !wanted.exists() && !present.exists();
    }
    if (!operation.stored.empty()) {
        REVET_ASSIGN_OR_RETURN(const Entry stored, lookAtStored(m_store, operation.stored));
        return isSameObject(present, stored);
    }
    if (!operation.linkTo.empty()) {
        const Result<Entry> other = lookAt(m_tree, operation.linkTo);
        const auto found = m_plan.find(operation.linkTo);
        return other && isSameObject(present, *other) && (found == m_plan.end() || found->second.isDone);
    }
    if (wanted.type == EntryType::Link && wanted.target != present.target) {
        return false;
    }
    const bool hasContent = operation.content != nullptr;
    if (hasContent) {
        // A file that may not be read may still be replaced.
        const Result<UniqueFd> file = openFile(m_tree, operation.path);
        if (!file) {
            return false;
        }
        REVET_ASSIGN_OR_RETURN(const UniqueFd content, operation.content());
        REVET_ASSIGN_OR_RETURN(const bool isSame, isEqualContent(content, *file));
        if (!isSame) {
            return false;
        }
        // It stays the same file then.
        operation.content = nullptr;
        if (!operation.isExact) {
            operation.wanted.mode = (wanted.mode & kPermissions) | (present.mode & ~kPermissions);
        }
    }
    const bool hasMode = wanted.type == EntryType::Link || wanted.mode == present.mode;
    if (!hasMode || (wanted.changed != 0 && wanted.changed != present.changed)) {
        return false;
    }
    return operation.from.empty() ? hasAttributes(operation) : Result<bool>(hasContent);
}

void Look::compare(const Planned& planned)
{
    const Entry& expected = planned.operation.expected;
    if (isMatch(planned.present, expected, planned.operation.wanted)) {
        return;
    }
    // Whoever looks with `git status` may get another index of the same content.
    if (!expected.staged.empty() && expected.staged == stagedAt(m_tree, planned.operation.path)) {
        return;
    }
    if (!expected.exists()) {
        conflict(planned.operation.path, "something else is there now");
    } else {
        conflict(planned.operation.path, planned.present.exists() ? "it was changed" : "it was removed");
    }
}

/// Whether a directory around the path comes as it is, with all that it holds.
bool Look::isBrought(const std::string& path) const
{
    for (std::string above = path; !above.empty();) {
        above = parentOf(above);
        const auto found = m_plan.find(above);
        if (found != m_plan.end()) {
            const Operation& operation = found->second.operation;
            return operation.wanted.type == EntryType::Directory
                && !(operation.stored.empty() && operation.from.empty());
        }
    }
    return false;
}

Result<void> Look::checkParent(const std::string& path)
{
    const std::string parent = parentOf(path);
    const auto found = m_plan.find(parent);
    if (found != m_plan.end()) {
        if (found->second.operation.wanted.type != EntryType::Directory) {
            conflict(path, "its directory goes away");
        }
        return {};
    }
    Entry entry;
    if (parent.empty()) {
        return {};
    }
    REVET_ASSIGN_OR_RETURN(const bool isClear, look(parent, entry));
    if (isClear && entry.type != EntryType::Directory && !isBrought(parent)) {
        conflict(path, "its directory is not there");
    }
    return {};
}

/// A directory goes only with what was known of it.
Result<void> Look::checkEntries(const Planned& planned)
{
    const std::string& path = planned.operation.path;
    REVET_ASSIGN_OR_RETURN(const std::vector<std::string> names, listDirectory(m_tree, path));
    for (const std::string& name : names) {
        const std::string below = std::string(path).append(1, '/').append(name);
        const auto found = m_plan.find(below);
        if (found == m_plan.end() || (found->second.operation.wanted.exists() && !found->second.givesAway)) {
            conflict(below, "it is not part of this, and its directory goes away");
        }
    }
    return {};
}

/// A file moves only where both ends of the way are not as wanted yet.
void Look::settleMoves()
{
    for (auto& [path, planned] : m_plan) {
        const std::string& from = planned.operation.from;
        const auto giver = m_plan.find(from);
        if (from.empty() || (planned.isDone && giver != m_plan.end() && giver->second.isDone)) {
            continue;
        }
        planned.isDone = false;
        if (giver == m_plan.end() || !giver->second.present.exists()) {
            conflict(from, "it was removed");
        } else {
            giver->second.givesAway = true;
            giver->second.isDone = false;
        }
    }
}

Result<std::vector<Conflict>> Look::run()
{
    for (auto& [path, planned] : m_plan) {
        REVET_ASSIGN_OR_RETURN(const bool isClear, look(path, planned.present));
        if (isClear) {
            REVET_ASSIGN_OR_RETURN(planned.isDone, isAsWanted(planned));
        }
    }
    if (!m_conflicts.empty()) {
        return std::move(m_conflicts);
    }
    settleMoves();
    if (m_conflicts.empty()) {
        REVET_ASSIGN_OR_RETURN(m_conflicts, splitShared(m_tree, m_plan));
    }
    for (const auto& [path, planned] : m_plan) {
        if (planned.isDone) {
            continue;
        }
        compare(planned);
        const Entry& wanted = planned.operation.wanted;
        if (wanted.exists()) {
            REVET_RETURN_IF_ERROR(checkParent(path));
        }
        if (planned.present.type == EntryType::Directory && wanted.type != EntryType::Directory
            && !planned.operation.isWholeTree) {
            REVET_RETURN_IF_ERROR(checkEntries(planned));
        }
    }
    return std::move(m_conflicts);
}

} // namespace

bool WalkOrder::operator()(std::string_view one, std::string_view other) const
{
    // By hand: paths of a deep tree are long, and much alike.
    const std::size_t common = std::min(one.size(), other.size());
    std::size_t at = 0;
    while (at < common && one[at] == other[at]) {
        ++at;
    }
    const auto rank = [at](std::string_view text) {
        return at == text.size() ? 0 : text[at] == '/' ? 1 : 2 + static_cast<unsigned char>(text[at]);
    };
    return rank(one) < rank(other);
}

mode_t newMode(const Operation& operation)
{
    return operation.isExact ? operation.wanted.mode : operation.wanted.mode & kPermissions;
}

bool isInPlace(const Planned& planned)
{
    const Operation& operation = planned.operation;
    return planned.present.exists() && planned.present.type == operation.wanted.type && !planned.givesAway
        && !planned.isAnew && operation.from.empty() && operation.stored.empty() && operation.linkTo.empty()
        && !operation.content
        && (operation.wanted.type != EntryType::Link || operation.wanted.target == planned.present.target);
}

Result<std::vector<Conflict>> lookAtPlan(int tree, int store, Plan& plan)
{
    return Look(tree, store, plan).run();
}

Result<Entry> lookAtDirectory(int root, const std::string& path)
{
    return lookAt(root, path.empty() ? "." : path);
}

} // namespace revet::workspace
