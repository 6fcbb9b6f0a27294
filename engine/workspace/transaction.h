// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/workspace/record.h"
#include "engine/workspace/transaction_plan.h"

#include <string>
#include <vector>

namespace revet::workspace {

/// Brings several paths of a tree into a wanted state, all or none: also when the process is killed at any
/// point, once recover() has run. New files are made in the record store and renamed into place, what they
/// replace is moved into the record; no link is followed anywhere, and no file of the tree is written to.
class Transaction
{
public:
    /// `tree` is an open directory (O_PATH will do); it and the store are borrowed. Of `record` the purpose
    /// counts, what it undoes, and the time if it has one.
    Transaction(int tree, const RecordStore& store, Record record);

    /// One for each path, in any order; a second one for a path replaces the first.
    void add(Operation operation);
    [[nodiscard]] bool isEmpty() const { return m_plan.empty(); }

    /// Does it all and gives the record's name, empty where all was as wanted already. Conflict: nothing was
    /// done, conflicts() tells why. Other failures: nothing was done, or recover() will take it back. What
    /// fails behind the commit point is none: it is logged, and recover() ends it.
    [[nodiscard]] Result<std::string> commit();
    [[nodiscard]] const std::vector<Conflict>& conflicts() const { return m_conflicts; }
    /// Paths that were not as wanted.
    [[nodiscard]] std::vector<std::string> changed() const;

private:
    [[nodiscard]] Result<void> act(const Scene& scene);
    [[nodiscard]] Result<void> seal(const Scene& scene);

    int m_tree;
    const RecordStore& m_store;
    Record m_record;
    Plan m_plan;
    std::vector<Conflict> m_conflicts;
};

/// Takes back what transactions of this store left half done; for the next start. Paths that somebody changed
/// meanwhile stay as they are, and what lay there stays in the record; they are returned.
[[nodiscard]] Result<std::vector<std::string>> recover(int tree, const RecordStore& store);

} // namespace revet::workspace
