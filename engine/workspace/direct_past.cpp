// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/direct_past.h"

#include "engine/workspace/file_content.h"
#include "engine/workspace/tree_walk.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fcntl.h>

namespace revet::workspace {

namespace {

using Content = PreImageRecord::Content;
using Way = Past::Way;
using Key = std::pair<std::uint64_t, std::uint64_t>;

Key keyOf(const Entry& entry)
{
    return {entry.device, entry.inode};
}

/// What turns the attributes `present` into `wanted`; all of them where the object may be made anew.
std::vector<std::pair<std::string, std::optional<std::string>>>
attributeChanges(const std::vector<Attribute>& wanted, const std::vector<Attribute>& present, bool isSame)
{
    std::vector<std::pair<std::string, std::optional<std::string>>> changes;
    for (const Attribute& attribute : wanted) {
        const bool isThere = isSame && std::ranges::find(present, attribute) != present.end();
        if (canBeSet(attribute.name) && !isThere) {
            changes.emplace_back(attribute.name, attribute.value);
        }
    }
    for (const Attribute& attribute : present) {
        if (canBeSet(attribute.name)
            && std::ranges::find(wanted, attribute.name, &Attribute::name) == wanted.end()) {
            changes.emplace_back(attribute.name, std::nullopt);
        }
    }
    return changes;
}

/// Only the time of the last change differs, which nobody can set: it went away and came back.
bool isNothing(const Past& past)
{
    const Entry& before = past.before;
    const Entry& after = past.after;
    return past.way == Way::InPlace && past.attributes.empty() && keyOf(before) == keyOf(after)
        && before.mode == after.mode && before.changed == after.changed && before.target == after.target;
}

class Maker
{
public:
    explicit Maker(const DirectChanges& session)
        : m_images(session.images())
        , m_before(session.before())
        , m_root(session.root())
    {
    }
    Result<Pasts> run();

private:
    [[nodiscard]] std::set<std::string> paths() const;
    [[nodiscard]] const PreImageRecord* savedAt(const std::string& path) const;
    [[nodiscard]] Entry leftAt(const std::string& path) const;
    [[nodiscard]] bool isLeftWhole(const std::string& path) const;
    [[nodiscard]] Entry beforeAt(const std::string& path) const;
    [[nodiscard]] std::string storeOf(const PreImageRecord& record) const
    {
        return m_images.objects / objectName(record.object);
    }
    void findNames();
    [[nodiscard]] std::optional<std::string> nameThatStayed(const PreImageRecord& record) const;
    [[nodiscard]] bool comesFromTree(const std::string& path, Past& past) const;
    void findSource(const std::string& path, Past& past);
    void findAttributes(const std::string& path, Past& past) const;

    const PreImages& m_images;
    const BeforeTree& m_before;
    const UniqueFd& m_root;
    std::map<Key, std::string> m_first; ///< of files that come back under several names, the first of them
    std::map<Key, std::vector<std::string>> m_names; ///< at which files are that lost a name by its copy
};

std::set<std::string> Maker::paths() const
{
    std::set<std::string> paths = m_before.touched();
    for (const auto& [path, record] : m_before.saved()) {
        paths.insert(path);
    }
    for (const auto& [path, entry] : m_before.left()) {
        paths.insert(path);
        if (auto original = m_before.originalOf(path)) {
            paths.insert(std::move(*original));
        }
    }
    return paths;
}

const PreImageRecord* Maker::savedAt(const std::string& path) const
{
    const auto saved = m_before.saved().find(path);
    return saved == m_before.saved().end() ? nullptr : &saved->second;
}

Entry Maker::leftAt(const std::string& path) const
{
    const auto left = m_before.left().find(path);
    return left == m_before.left().end() ? Entry{} : left->second.entry;
}

/// A directory that was not looked into.
bool Maker::isLeftWhole(const std::string& path) const
{
    const auto left = m_before.left().find(path);
    return left != m_before.left().end() && !left->second.note.empty();
}

Entry Maker::beforeAt(const std::string& path) const
{
    if (const PreImageRecord* const saved = savedAt(path)) {
        return saved->entry;
    }
    const auto present = m_before.presentOf(path);
    const Entry left = present ? leftAt(*present) : Entry{};
    const PreImageRecord* const shared = left.links > 1 ? m_before.savedOf(left) : nullptr;
    return shared == nullptr ? left : shared->entry;
}

/// Where a name of a file was taken away by copying it, the file may still have others.
void Maker::findNames()
{
    std::map<Key, std::size_t> missing;
    for (const auto& [path, record] : m_before.saved()) {
        if (record.content == Content::Copied && record.entry.links > 1) {
            missing.try_emplace(keyOf(record.entry), record.entry.links).first->second -= 1;
        }
    }
    if (std::ranges::all_of(missing, [](const auto& entry) { return entry.second == 0; })) {
        return;
    }
    constexpr std::size_t kMaximum = 2'000'000;
    // What cannot be looked through has no more names: the file comes back by itself then.
    static_cast<void>(walkTree(m_root.get(), {}, kMaximum, [&](const std::string& path, const Entry& entry) {
        if (entry.type != EntryType::Directory && missing.contains(keyOf(entry))) {
            m_names[keyOf(entry)].push_back(path);
        }
        return true;
    }));
}

/// A name that such a file had before and that it has now, here or elsewhere, with the content that it had.
std::optional<std::string> Maker::nameThatStayed(const PreImageRecord& record) const
{
    const auto names = m_names.find(keyOf(record.entry));
    if (names == m_names.end()) {
        return std::nullopt;
    }
    const UniqueFd copy(::open(storeOf(record).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    for (const std::string& name : names->second) {
        auto original = m_before.originalOf(name);
        const Result<UniqueFd> file = openFile(m_root.get(), name);
        if (original && copy && file && isEqualContent(copy, *file).value_or(false)) {
            return original;
        }
    }
    return std::nullopt;
}

/// Whether what was at the path is somewhere in the tree, whatever has become of its content.
bool Maker::comesFromTree(const std::string& path, Past& past) const
{
    const auto present = m_before.presentOf(path);
    const Entry left = present ? leftAt(*present) : Entry{};
    if (!left.exists() || left.type != past.before.type) {
        return false;
    }
    past.way = *present == path ? Way::InPlace : Way::Moved;
    past.place = past.way == Way::Moved ? *present : std::string();
    return true;
}

void Maker::findSource(const std::string& path, Past& past)
{
    const PreImageRecord* const saved = savedAt(path);
    const Content content = saved == nullptr ? Content::None : saved->content;
    if (content == Content::Lost) {
        past.note = saved->note;
        const bool isMoved = comesFromTree(path, past) && past.way == Way::Moved;
        past.way = isMoved ? Way::Moved : Way::Lost;
        past.before.changed = isMoved ? leftAt(past.place).changed : past.before.changed;
        return;
    }
    if (content == Content::None) {
        if (!comesFromTree(path, past)) {
            const bool canBeMade
                = past.before.type == EntryType::Directory || past.before.type == EntryType::Link;
            past.way = canBeMade ? Way::InPlace : Way::Lost;
            past.note = canBeMade ? std::string() : "it was not kept";
        }
        return;
    }
    past.way = content == Content::Kept ? Way::Kept : Way::Copied;
    past.place = storeOf(*saved);
    if (saved->entry.links < 2) {
        return;
    }
    // One of its names gets the file, the others that.
    const auto stayed = content == Content::Copied ? nameThatStayed(*saved) : std::nullopt;
    const auto [first, isFirst] = m_first.try_emplace(keyOf(saved->entry), stayed.value_or(path));
    if (first->second != path) {
        past.way = Way::Linked;
        past.place = first->second;
    }
}

void Maker::findAttributes(const std::string& path, Past& past) const
{
    const PreImageRecord* const saved = savedAt(path);
    if (saved == nullptr || past.way == Way::Linked || past.way == Way::Lost) {
        return;
    }
    std::vector<Attribute> present;
    if (past.way == Way::Kept) {
        present = readAttributes(AT_FDCWD, past.place);
    } else if (const auto left = m_before.left().find(past.way == Way::Moved ? past.place : path);
               left != m_before.left().end()) {
        present = left->second.attributes;
    }
    const bool isSame = past.way == Way::Kept || past.way == Way::Moved
        || (past.way == Way::InPlace && keyOf(past.before) == keyOf(past.after));
    past.attributes = attributeChanges(saved->attributes, present, isSame);
}

Result<Pasts> Maker::run()
{
    findNames();
    Pasts pasts;
    for (const std::string& path : paths()) {
        Past past;
        past.before = beforeAt(path);
        past.after = leftAt(path);
        if (past.before.exists() ? past.after.isUntouchedSince(past.before) : !past.after.exists()) {
            continue;
        }
        if (past.before.exists()) {
            findSource(path, past);
        }
        findAttributes(path, past);
        if (isNothing(past)) {
            continue;
        }
        // Also where it came back from, if it is to go there again.
        past.isWholeTree = isLeftWhole(path) || (past.way == Way::Moved && isLeftWhole(past.place));
        past.isTimeOnly = past.before.type == EntryType::Directory && keyOf(past.before) == keyOf(past.after)
            && past.before.mode == past.after.mode && past.attributes.empty();
        pasts[path] = std::move(past);
    }
    // Of what lies in a directory that went as a whole, nothing is known.
    std::erase_if(pasts, [&pasts](const auto& entry) {
        return entry.second.way == Way::Moved && !pasts.contains(entry.second.place);
    });
    return pasts;
}

} // namespace

Result<Pasts> pastsOf(const DirectChanges& session)
{
    if (!session.images().isSealed) {
        return fail(ErrorCode::Unavailable, "take back what was done to " + session.images().root.string(),
                    "what the session left there was not noted");
    }
    return Maker(session).run();
}

} // namespace revet::workspace
