// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/left_behind.h"

#include "engine/workspace/before_tree.h"
#include "engine/workspace/manifest_writer.h"
#include "engine/workspace/tree_walk.h"

#include <fcntl.h>
#include <unistd.h>

namespace revet::workspace {

Result<std::string> describeLeftBehind(const std::string& root, std::span<const PreImageRecord> records,
                                       const std::function<bool(std::string_view)>& isBuildOutput)
{
    constexpr std::size_t kMaximum = 2'000'000;
    const UniqueFd directory(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!directory) {
        return failErrno("open " + root);
    }
    const BeforeTree before(records);
    std::string bytes;
    const auto note = [&bytes](const std::string& path, const Entry& entry) {
        PreImageRecord record;
        record.kind = PreImageRecord::Kind::Left;
        record.path = path;
        record.entry = entry;
        bytes += encode(record);
    };
    for (const std::string& path : before.touched()) {
        const bool isElsewhere = before.originalOf(path) != path;
        const auto visit = [&](const std::string& below, const Entry& entry) {
            note(below, entry);
            return isElsewhere && !isBuildOutput(below);
        };
        if (const auto walked = walkTree(directory.get(), path, kMaximum, visit);
            !walked && walked.error().code != ErrorCode::Refused) {
            return fail(walked.error());
        }
    }
    PreImageRecord last;
    last.kind = PreImageRecord::Kind::Sealed;
    return bytes + encode(last);
}

Result<void> sealLeftManifest(const std::filesystem::path& directory)
{
    const auto images = readPreImages(directory);
    if (!images) {
        return images.error().code == ErrorCode::NotFound ? Result<void>() : fail(images.error());
    }
    if (images->isSealed) {
        return {};
    }
    REVET_ASSIGN_OR_RETURN(auto manifest, ManifestWriter::resume(directory, *images));
    REVET_ASSIGN_OR_RETURN(
        const std::string left,
        describeLeftBehind(images->root.string(), images->records, [](std::string_view) { return false; }));
    REVET_RETURN_IF_ERROR(manifest.append(left));
    return manifest.flush();
}

} // namespace revet::workspace
