// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/tree_walk.h"

#include "engine/base/reversed.h"
#include "engine/workspace/listing.h"

#include <algorithm>
#include <cerrno>
#include <vector>

namespace revet::workspace {

Result<bool> walkTree(int root, const std::string& path, std::size_t maximum,
                      const std::function<bool(const std::string&, const Entry&)>& visit)
{
    std::vector<std::string> waiting{path}; // the next one last
    bool isWhole = true;
    for (std::size_t seen = 0; !waiting.empty(); ++seen) {
        if (seen >= maximum) {
            return fail(ErrorCode::LimitExceeded, "look through a directory", "it holds too much");
        }
        const std::string next = std::move(waiting.back());
        waiting.pop_back();
        const auto entry = lookAt(root, next.empty() ? "." : next);
        if (!entry && entry.error().errnoValue == EACCES) {
            isWhole = false; // in a directory without the right to search it
            continue;
        }
        if (!entry) {
            return fail(entry.error());
        }
        if (!entry->exists() || !visit(next, *entry) || entry->type != EntryType::Directory) {
            continue;
        }
        Result<UniqueFd> directory = openDirectory(root, next);
        auto names = directory ? listDirectory(directory->get()) : fail(directory.error());
        if (!names) {
            isWhole = false;
            continue;
        }
        std::sort(names->begin(), names->end());
        for (const std::string& name : Reversed(*names)) {
            waiting.push_back(next.empty() ? name : std::string(next).append(1, '/').append(name));
        }
    }
    return isWhole;
}

} // namespace revet::workspace
