// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/listing.h"
#include "engine/workspace/name_text.h"
#include "engine/workspace/oddities.h"

#include <map>
#include <set>
#include <string>
#include <utility>

namespace revet::workspace {

namespace {

/// The names of one directory, as they are once the changes are there.
class Names
{
public:
    void add(const std::string& name) { m_spellings[foldedName(name)].insert(name); }
    void remove(const std::string& name) { m_spellings[foldedName(name)].erase(name); }
    [[nodiscard]] bool isAmbiguous(const std::string& name) const
    {
        const auto found = m_spellings.find(foldedName(name));
        return found != m_spellings.end() && found->second.size() > 1;
    }

private:
    std::map<std::string, std::set<std::string>> m_spellings;
};

std::pair<std::string, std::string> split(const std::string& path)
{
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? std::pair(std::string(), path)
                                      : std::pair(path.substr(0, slash), path.substr(slash + 1));
}

Result<Names> namesOf(int base, const std::string& directory)
{
    Names names;
    names.add(".git"); // ".GIT" and its like are never innocent
    const auto opened = openDirectory(base, directory);
    if (!opened
        && (opened.error().code == ErrorCode::NotFound || opened.error().code == ErrorCode::Refused)) {
        return names; // a new one
    }
    if (!opened) {
        return fail(opened.error());
    }
    REVET_ASSIGN_OR_RETURN(const std::vector<std::string> listed, listDirectory(opened->get()));
    for (const std::string& name : listed) {
        names.add(name);
    }
    return names;
}

} // namespace

Result<std::vector<bool>> caseCollisions(const std::vector<Change>& changes, int base)
{
    std::map<std::string, Names> directories; // of those that get a new name
    for (const Change& change : changes) {
        const auto [directory, name] = split(change.path);
        if (!change.before.exists() || change.kind == Change::Kind::Renamed) {
            if (!directories.contains(directory)) {
                REVET_ASSIGN_OR_RETURN(directories[directory], namesOf(base, directory));
            }
        }
    }
    const auto gone = [&](const std::string& path) {
        const auto [directory, name] = split(path);
        if (const auto found = directories.find(directory); found != directories.end()) {
            found->second.remove(name);
        }
    };
    for (const Change& change : changes) {
        if (change.kind == Change::Kind::Deleted) {
            gone(change.path);
        } else if (change.kind == Change::Kind::Renamed) {
            gone(change.from);
        }
    }
    for (const Change& change : changes) { // after all that goes: a name may come back as another thing
        const auto [directory, name] = split(change.path);
        if (const auto found = directories.find(directory);
            found != directories.end() && change.after.exists()) {
            found->second.add(name);
        }
    }
    std::vector<bool> collides;
    collides.reserve(changes.size());
    for (const Change& change : changes) {
        const auto [directory, name] = split(change.path);
        const auto found = directories.find(directory);
        collides.push_back(change.after.exists() && found != directories.end()
                           && found->second.isAmbiguous(name));
    }
    return collides;
}

} // namespace revet::workspace
