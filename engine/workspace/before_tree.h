// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/workspace/pre_image_record.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>

namespace revet::workspace {

/// The tree as it was before the first record, as far as it differs from the one that is there now. Pure:
/// made of records alone. Two names for a path: *original* (in the tree before) and *present* (in the tree
/// now, if nobody else changed it).
class BeforeTree
{
public:
    explicit BeforeTree(std::span<const PreImageRecord> records);
    ~BeforeTree();
    BeforeTree(BeforeTree&&) noexcept;
    BeforeTree& operator=(BeforeTree&&) noexcept;
    BeforeTree(const BeforeTree&) = delete;
    BeforeTree& operator=(const BeforeTree&) = delete;

    /// What was saved, by original path; the first state of each path. Parents come before what is below.
    [[nodiscard]] const std::map<std::string, PreImageRecord>& saved() const { return m_saved; }
    /// The record of another name of the file that `present` is a name of, if that was saved under the other
    /// one alone: its times or mode may have been changed through it.
    [[nodiscard]] const PreImageRecord* savedOf(const Entry& present) const;
    /// Where what was at an original path is now; none where it is gone.
    [[nodiscard]] std::optional<std::string> presentOf(const std::string& original) const;
    /// Where what is at a present path was; none where it is new. Whether anything is there is not known.
    [[nodiscard]] std::optional<std::string> originalOf(const std::string& present) const;
    /// Present paths at which something was made, moved or changed: where to look for differences. What is
    /// below a new or moved directory is not listed.
    [[nodiscard]] const std::set<std::string>& touched() const { return m_touched; }
    /// What Moved and Exchanged brought from elsewhere and is still there: present path to original path. A
    /// directory stands for all that is below it.
    [[nodiscard]] const std::map<std::string, std::string>& moved() const { return m_moved; }
    /// What the session left, by present path (Left); Absent for other paths that it touched.
    [[nodiscard]] const std::map<std::string, PreImageRecord>& left() const { return m_left; }

private:
    struct Node;
    std::unique_ptr<Node> m_root;
    std::map<std::string, PreImageRecord> m_saved;
    std::set<std::string> m_touched;
    std::map<std::string, std::string> m_moved;
    std::map<std::string, std::string> m_present; ///< of originals that are elsewhere
    std::map<std::string, PreImageRecord> m_left;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> m_shared; ///< originals with several names
};

} // namespace revet::workspace
