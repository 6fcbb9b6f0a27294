// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/text_merge.h"

#include "engine/workspace/git_library.h"

#include <git2/merge.h>

namespace revet::workspace {

namespace {

git_merge_file_input inputOf(std::string_view text)
{
    git_merge_file_input input = GIT_MERGE_FILE_INPUT_INIT;
    input.ptr = text.data();
    input.size = text.size();
    return input;
}

bool isText(std::string_view bytes)
{
    // As git decides: a NUL near the beginning.
    constexpr std::size_t kLooked = 8000;
    return bytes.substr(0, kLooked).find('\0') == std::string_view::npos;
}

} // namespace

Result<TextMerge> mergeTexts(std::string_view base, std::string_view host, std::string_view session)
{
    constexpr std::size_t kMaximumBytes = std::size_t{16} << 20U;
    for (const std::string_view text : {base, host, session}) {
        if (!isText(text) || text.size() > kMaximumBytes) {
            return fail(ErrorCode::Refused, "merge", "one side is no text, or too long");
        }
    }
    REVET_RETURN_IF_ERROR(startGit());
    const git_merge_file_input ancestor = inputOf(base);
    const git_merge_file_input ours = inputOf(host);
    const git_merge_file_input theirs = inputOf(session);
    git_merge_file_options options = GIT_MERGE_FILE_OPTIONS_INIT;
    options.our_label = "host";
    options.their_label = "session";
    git_merge_file_result result = {};
    if (::git_merge_file(&result, &ancestor, &ours, &theirs, &options) != 0) {
        return failGit("merge");
    }
    TextMerge merged{std::string(result.ptr, result.len), result.automergeable != 0};
    ::git_merge_file_result_free(&result);
    return merged;
}

} // namespace revet::workspace
