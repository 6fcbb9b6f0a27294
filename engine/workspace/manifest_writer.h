// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/workspace/pre_image_record.h"

namespace revet::workspace {

/// Appends to a manifest, each record whole or not at all.
class ManifestWriter
{
public:
    /// Makes directory/manifest; fails where there is one.
    [[nodiscard]] static Result<ManifestWriter> create(const std::filesystem::path& directory);
    /// Goes on with one that was left: takes off a torn tail and takes back what did not happen.
    [[nodiscard]] static Result<ManifestWriter> resume(const std::filesystem::path& directory,
                                                       const PreImages& images);

    [[nodiscard]] Result<void> append(const PreImageRecord& record) { return append(encode(record)); }
    [[nodiscard]] Result<void> append(std::string_view encoded);
    /// The rest of what is written may wait for nobody's power cut any more.
    [[nodiscard]] Result<void> flush();
    [[nodiscard]] std::uint64_t size() const { return m_size; }
    /// All that has been written.
    [[nodiscard]] Result<std::vector<PreImageRecord>> readBack() const;

private:
    UniqueFd m_file;
    std::uint64_t m_size = 0;
    std::uint64_t m_reserved = 0;
};

} // namespace revet::workspace
