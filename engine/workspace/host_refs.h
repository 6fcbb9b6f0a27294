// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/workspace/apply.h"
#include "engine/workspace/git_refs.h"

#include <string>

namespace revet::workspace {

/// What the host has at a ref.
struct HostRef
{
    std::string id; ///< empty: nothing, or the name of another ref
    Entry file; ///< of its own; what is packed has none
    bool isOther = false; ///< something that is no commit
};

/// The refs that the host has in one repository.
class HostRefs
{
public:
    HostRefs() = default; ///< nothing is asked of that
    /// `tree`: where the repository is, below `prefix` ("", ".git/"); `head`: the work tree's, below that.
    /// All are borrowed.
    [[nodiscard]] static Result<HostRefs> read(int tree, const std::string& prefix, const std::string& head,
                                               const Bases& bases);

    [[nodiscard]] HostRef at(const std::string& name) const;
    [[nodiscard]] const GitRefs& packed() const { return m_packed; }
    /// The present commit, and the ref that it is taken from; empty where there is none.
    [[nodiscard]] const std::string& head() const { return m_head; }
    [[nodiscard]] const std::string& branch() const { return m_branch; }
    /// Whether the host has left it alone since the session began.
    [[nodiscard]] bool isBase(const std::string& name, const HostRef& ref) const;
    /// Whether a ref of this name can be made: no other one is a directory of its path, or in it.
    [[nodiscard]] bool hasRoomFor(const std::string& name) const;
    /// A file of the repository.
    [[nodiscard]] Result<std::string> textAt(const std::string& path, std::size_t most) const;
    [[nodiscard]] Result<Entry> entryAt(const std::string& path) const;

private:
    int m_tree = -1;
    std::string m_prefix;
    const Bases* m_bases = nullptr;
    GitRefs m_packed;
    bool m_isPackedBase = false;
    std::string m_head;
    std::string m_branch;
};

/// packed-refs, or a log, is no larger.
inline constexpr std::size_t kLargestRefFile = std::size_t{64} << 20U;

} // namespace revet::workspace
