// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/policy/git_object.h"
#include "engine/workspace/change.h"
#include "engine/workspace/git_library.h"

#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

namespace revet::workspace {

/// Git objects on their way from a box's repository into the host's. The box's files are copied first, so
/// that nothing changes and no link is followed while libgit2 reads them; its index files are not believed,
/// every object is hashed, checked, and written anew. What the host has already counts as complete.
class ObjectCrossing
{
public:
    /// Takes in what a box added below `objects` ("sub/.git/objects") of the tree. `scratch`: an empty
    /// directory of ours, on any file system.
    [[nodiscard]] static Result<ObjectCrossing> open(ChangeSource& source,
                                                     const std::vector<const Change*>& changes, int tree,
                                                     const std::string& objects,
                                                     const std::filesystem::path& scratch);

    /// Reads what the object (in hexadecimal) needs and the host does not have. Malformed, NotFound or
    /// LimitExceeded where it may not cross.
    [[nodiscard]] Result<policy::GitObjectType> fetch(const std::string& id);
    /// Whether the host has the object.
    [[nodiscard]] bool isHosts(const std::string& id) const;
    /// Whether commit `newer` has `older` among its ancestors, or is it; of what was fetched or is the
    /// host's.
    [[nodiscard]] bool reaches(const std::string& newer, const std::string& older) const;
    /// Writes what `ids` need into the host's objects/, safe from a crash of the machine.
    [[nodiscard]] Result<void> place(const std::vector<std::string>& ids) const;

    /// A repository without configuration that has the host's objects and those that were fetched; what is
    /// written to it goes no further than to us until it is fetched and placed.
    [[nodiscard]] git_repository* repository() const { return m_repository.get(); }

private:
    ObjectCrossing(int tree, std::string objects, const std::filesystem::path& scratch)
        : m_tree(tree)
        , m_objects(std::move(objects))
        , m_in(scratch / "in")
        , m_out(scratch / "out")
    {
    }
    [[nodiscard]] Result<void> takeIn(ChangeSource& source, const std::vector<const Change*>& changes) const;
    [[nodiscard]] Result<void> openStores();
    [[nodiscard]] bool hostHas(const std::string& id) const;
    /// Of an object that is not the host's: checks it, and writes it to m_out.
    [[nodiscard]] Result<std::vector<policy::GitLink>> take(const policy::GitLink& link);
    [[nodiscard]] Result<void> checkModules(const std::string& id) const;
    [[nodiscard]] Result<void> placeOne(const std::string& id) const;

    int m_tree;
    std::string m_objects;
    std::filesystem::path m_in;
    std::filesystem::path m_out;
    GitOdb m_host; ///< the host's alone
    GitOdb m_box; ///< what was taken in, and m_out
    GitOdb m_outgoing; ///< m_out alone
    GitOdb m_all;
    GitRepository m_repository;
    std::unordered_map<std::string, std::vector<std::string>> m_fetched; ///< ids of 20 bytes: what they need
    std::vector<std::string> m_order; ///< of m_fetched, what is needed first
};

} // namespace revet::workspace
