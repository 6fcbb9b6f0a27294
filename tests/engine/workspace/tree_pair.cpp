// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/engine/workspace/tree_pair.h"

#include "engine/workspace/transaction_plan.h"

#include <fstream>
#include <iterator>
#include <set>

#include <fcntl.h>

namespace revet::test {

namespace fs = std::filesystem;
using workspace::Change;
using workspace::Entry;
using workspace::EntryType;

namespace {

void collect(const fs::path& top, const std::string& path, std::set<std::string, workspace::WalkOrder>& paths)
{
    for (const auto& entry : fs::directory_iterator(path.empty() ? top : top / path)) {
        const std::string name = entry.path().filename().string();
        const std::string below = path.empty() ? name : path + '/' + name;
        paths.insert(below);
        if (entry.symlink_status().type() == fs::file_type::directory) {
            collect(top, below, paths);
        }
    }
}

std::string contentOf(const fs::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

} // namespace

TreePair::TreePair(const fs::path& before, const fs::path& after)
    : m_before(::open(before.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC))
    , m_after(::open(after.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC))
    , m_tops{before, after}
{
}

Result<std::vector<Change>> TreePair::changes()
{
    std::set<std::string, workspace::WalkOrder> paths;
    collect(m_tops[0], "", paths);
    collect(m_tops[1], "", paths);
    std::vector<Change> changes;
    for (const std::string& path : paths) {
        Change change;
        change.path = path;
        // What lies behind a link is not there.
        change.before = workspace::lookAt(m_before.get(), path).value_or(Entry());
        change.after = workspace::lookAt(m_after.get(), path).value_or(Entry());
        if (change.before.type != change.after.type) {
            if (change.before.exists()) {
                changes.push_back({Change::Kind::Deleted, path, {}, change.before, {}, false});
            }
            if (change.after.exists()) {
                changes.push_back({Change::Kind::Added, path, {}, {}, change.after, true});
            }
            continue;
        }
        if (change.after.type == EntryType::File) {
            change.isContentChanged = contentOf(m_tops[0] / path) != contentOf(m_tops[1] / path);
        } else if (change.after.type == EntryType::Link) {
            change.isContentChanged = change.before.target != change.after.target;
        }
        const bool isModeChanged
            = change.after.type != EntryType::Link && change.before.mode != change.after.mode;
        if (change.isContentChanged || isModeChanged) {
            changes.push_back(change);
        }
    }
    return changes;
}

Result<UniqueFd> TreePair::openBefore(const Change& change)
{
    return workspace::openFile(m_before.get(), change.from.empty() ? change.path : change.from);
}

Result<UniqueFd> TreePair::openAfter(const Change& change)
{
    return workspace::openFile(m_after.get(), change.path);
}

} // namespace revet::test
