// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/text_diff.h"

#include "engine/workspace/file_content.h"
#include "engine/workspace/git_library.h"

#include <algorithm>
#include <memory>

#include <git2.h>

namespace revet::workspace {

namespace {

struct FreePatch
{
    void operator()(git_patch* patch) const noexcept { git_patch_free(patch); }
};

std::string_view withoutEnd(std::string_view line)
{
    while (line.ends_with('\n') || line.ends_with('\r')) {
        line.remove_suffix(1);
    }
    return line;
}

Result<Hunk> readHunk(git_patch* patch, std::size_t number)
{
    const git_diff_hunk* from = nullptr;
    std::size_t count = 0;
    if (git_patch_get_hunk(&from, &count, patch, number) != 0) {
        return failGit("read a hunk");
    }
    Hunk hunk;
    hunk.header = withoutEnd({static_cast<const char*>(from->header), from->header_len});
    hunk.oldStart = static_cast<std::uint32_t>(from->old_start);
    hunk.oldLines = static_cast<std::uint32_t>(from->old_lines);
    hunk.newStart = static_cast<std::uint32_t>(from->new_start);
    hunk.newLines = static_cast<std::uint32_t>(from->new_lines);
    for (std::size_t i = 0; i < count; ++i) {
        const git_diff_line* line = nullptr;
        if (git_patch_get_line_in_hunk(&line, patch, number, i) != 0) {
            return failGit("read a line of a hunk");
        }
        const char origin = line->origin;
        // What else there is only says that the line before has no end.
        if (origin == GIT_DIFF_LINE_CONTEXT || origin == GIT_DIFF_LINE_ADDITION
            || origin == GIT_DIFF_LINE_DELETION) {
            hunk.lines.push_back({origin, std::string(line->content, line->content_len)});
        }
    }
    return hunk;
}

/// The text of one side; none where it is too large.
Result<std::string> textOf(const Entry& entry, const Result<UniqueFd>& file)
{
    if (entry.type == EntryType::Link) {
        return entry.target;
    }
    if (entry.type != EntryType::File) {
        return std::string();
    }
    if (!file) {
        return fail(file.error());
    }
    return readContent(*file, kLargestText);
}

} // namespace

Result<TextDiff> diffTexts(std::string_view before, std::string_view after)
{
    TextDiff diff;
    if (std::max(before.size(), after.size()) > kLargestText) {
        diff.isTooLarge = true;
        return diff;
    }
    REVET_RETURN_IF_ERROR(startGit());
    git_diff_options options = GIT_DIFF_OPTIONS_INIT;
    options.flags = GIT_DIFF_INDENT_HEURISTIC;
    git_patch* made = nullptr;
    if (git_patch_from_buffers(&made, before.data(), before.size(), nullptr, after.data(), after.size(),
                               nullptr, &options)
        != 0) {
        return failGit("compare two texts");
    }
    const std::unique_ptr<git_patch, FreePatch> patch(made);
    diff.isBinary = (git_patch_get_delta(patch.get())->flags & GIT_DIFF_FLAG_BINARY) != 0;
    const std::size_t hunks = git_patch_num_hunks(patch.get());
    for (std::size_t i = 0; i < hunks; ++i) {
        REVET_ASSIGN_OR_RETURN(Hunk hunk, readHunk(patch.get(), i));
        for (const DiffLine& line : hunk.lines) {
            diff.added += line.origin == '+' ? 1U : 0U;
            diff.removed += line.origin == '-' ? 1U : 0U;
        }
        diff.hunks.push_back(std::move(hunk));
    }
    return diff;
}

Result<TextDiff> diffChange(ChangeSource& source, const Change& change)
{
    if (std::max(change.before.size, change.after.size) > kLargestText) {
        TextDiff diff;
        diff.isTooLarge = true;
        return diff;
    }
    const auto open = [&](const Entry& entry, Result<UniqueFd> (ChangeSource::*side)(const Change&)) {
        return textOf(entry,
                      entry.type == EntryType::File ? (source.*side)(change) : Result<UniqueFd>(UniqueFd()));
    };
    REVET_ASSIGN_OR_RETURN(const std::string before, open(change.before, &ChangeSource::openBefore));
    REVET_ASSIGN_OR_RETURN(const std::string after, open(change.after, &ChangeSource::openAfter));
    return diffTexts(before, after);
}

} // namespace revet::workspace
