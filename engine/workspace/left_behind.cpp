// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/left_behind.h"

#include "engine/workspace/before_tree.h"
#include "engine/workspace/gone_path.h"
#include "engine/workspace/manifest_writer.h"
#include "engine/workspace/oddities.h"
#include "engine/workspace/open_object.h"
#include "engine/workspace/staged_index.h"
#include "engine/workspace/transaction_plan.h"
#include "engine/workspace/tree_walk.h"

#include <cerrno>
#include <set>

#include <fcntl.h>
#include <unistd.h>

namespace revet::workspace {

namespace {

std::vector<Attribute> attributesAt(const UniqueFd& root, const std::string& path)
{
    const Result<UniqueFd> object = openObject(root.get(), path);
    return object ? readAttributes(object->get()) : std::vector<Attribute>();
}

} // namespace

Result<std::string> describeLeftBehind(const std::string& root, std::span<const PreImageRecord> records,
                                       const std::function<bool(std::string_view)>& isBuildOutput,
                                       Unreadable unreadable)
{
    constexpr std::size_t kMaximum = 2'000'000;
    const UniqueFd directory(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!directory) {
        return failErrno("open " + root);
    }
    const BeforeTree before(records);
    std::string bytes;
    std::set<std::string> noted;
    const auto note = [&](const std::string& path, const Entry& entry, bool isWhole) {
        if (!noted.insert(path).second) {
            return;
        }
        PreImageRecord record;
        record.kind = PreImageRecord::Kind::Left;
        record.path = path;
        record.entry = entry;
        record.entry.staged = stagedAt(directory.get(), path);
        record.note = isWhole ? "not looked into" : "";
        const auto original = before.originalOf(path);
        if (before.saved().contains(path) || (original && before.saved().contains(*original))) {
            record.attributes = attributesAt(directory, path);
        }
        bytes += encode(record);
    };
    GonePath gone;
    bool sawAll = true;
    for (const std::string& path : before.touched()) {
        if (gone.isAbove(path)) {
            continue;
        }
        bool isThere = false;
        const bool isElsewhere = before.originalOf(path) != path;
        const auto visit = [&](const std::string& below, const Entry& entry) {
            const bool isWhole = isElsewhere && entry.type == EntryType::Directory
                && (isBuildOutput(below) || isTooDeep(below));
            note(below, entry, isWhole);
            isThere = true;
            return isElsewhere && !isWhole;
        };
        const auto walked = walkTree(directory.get(), path, kMaximum, visit);
        if (!walked && walked.error().code != ErrorCode::Refused) {
            return fail(walked.error());
        }
        sawAll = sawAll && walked.value_or(true);
        if (!isThere) {
            gone.set(path);
        }
    }
    // A file may be changed by a name that is gone by now, or that it got for that.
    for (const auto& [path, record] : before.saved()) {
        const auto present = before.presentOf(path);
        const auto entry = present ? lookAtDirectory(directory.get(), *present) : Result<Entry>(Entry{});
        if (entry && entry->exists()) {
            note(*present, *entry, false);
        }
        sawAll = sawAll && (entry || entry.error().errnoValue != EACCES);
    }
    if (!sawAll && unreadable == Unreadable::Fails) {
        return fail(Error::fromErrno("look at all that was changed in " + root, EACCES));
    }
    PreImageRecord last;
    last.kind = PreImageRecord::Kind::Sealed;
    return bytes + encode(last);
}

Result<void> sealLeftManifest(const std::filesystem::path& directory, Unreadable unreadable)
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
        describeLeftBehind(
            images->root.string(), images->records, [](std::string_view) { return false; }, unreadable));
    REVET_RETURN_IF_ERROR(manifest.append(left));
    return manifest.flush();
}

} // namespace revet::workspace
