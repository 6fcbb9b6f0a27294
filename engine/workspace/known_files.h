// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/workspace/pre_image_record.h"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include <sys/stat.h>

namespace revet::workspace {

/// When the file or directory `name` of `directory` (or that itself, for "") came into being; 0 where the
/// file system does not say.
[[nodiscard]] Result<std::int64_t> birthOf(int directory, const std::string& name);

[[nodiscard]] std::int64_t birthIn(const struct statx& info);
/// Device and number alone.
[[nodiscard]] struct stat identityIn(const struct statx& info);

/// What a store knows of files and directories, whatever their names. A number is given to another file once
/// its file is gone, and others may remove files too: so births are compared.
class KnownFiles
{
public:
    struct Known
    {
        std::int64_t birth = 0;
        bool isBorn = false; ///< was not there before
        bool isRecorded = false; ///< its state before is in the log
        PreImageRecord::Content content = PreImageRecord::Content::None; ///< where its first content is
        std::uint64_t object = 0;
        Entry entry; ///< when it was recorded first
        std::vector<Attribute> attributes; ///< likewise, where it had several names
        std::set<std::string> names; ///< at which it was recorded, where it had several
    };
    /// What is known of a file from the record that is written about it.
    [[nodiscard]] static Known knownBy(const PreImageRecord& record, std::int64_t birth);
    /// Of a file with several names each may be recorded, and each as the file was at first.
    static void toFirstState(PreImageRecord& record, const Known* known);
    /// Of what is at `name`, which is as `status` says.
    [[nodiscard]] const Known* find(int directory, const std::string& name, const struct stat& status);
    /// The same where the birth is known.
    [[nodiscard]] const Known* find(const struct stat& status, std::int64_t birth);
    void learn(const struct stat& status, Known known);
    /// Its last name is about to go.
    void forget(const struct stat& status);

private:
    using Key = std::pair<dev_t, ino_t>;
    struct KeyHash
    {
        std::size_t operator()(const Key& key) const
        {
            return std::hash<std::uint64_t>()(key.second * 0x9e3779b97f4a7c15U ^ key.first);
        }
    };
    // Beyond it everything counts as having been there before: more is kept than needs be.
    static constexpr std::size_t kMaximum = 500'000;
    std::unordered_map<Key, Known, KeyHash> m_known;
};

} // namespace revet::workspace
