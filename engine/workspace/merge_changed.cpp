// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/apply.h"
#include "engine/workspace/committed_text.h"
#include "engine/workspace/file_content.h"
#include "engine/workspace/text_merge.h"

namespace revet::workspace {

namespace {

constexpr std::size_t kLargestText = std::size_t{16} << 20U;

Result<std::string> read(Result<UniqueFd> file)
{
    return file ? readContent(*file, kLargestText) : fail(std::move(file).error());
}

} // namespace

std::map<std::string, std::string> mergeChanged(ChangeSource& source, const std::vector<Change>& changes,
                                                int tree, const Bases& bases, std::int64_t began)
{
    std::map<std::string, std::string> merged;
    const Result<CommittedText> committed = CommittedText::open(tree, began);
    for (const Change& change : changes) {
        const Result<Entry> present = lookAt(tree, change.path);
        const bool isFile = change.kind == Change::Kind::Modified && change.isContentChanged
            && change.after.type == EntryType::File && present && present->type == EntryType::File;
        if (!committed || !isFile || bases.isBase(change.path, *present)) {
            continue;
        }
        const Result<std::string> base = committed->at(change.path);
        const Result<std::string> host = read(openFile(tree, change.path));
        const Result<std::string> session = read(source.openAfter(change));
        if (!base || !host || !session) {
            continue;
        }
        Result<TextMerge> merge = mergeTexts(*base, *host, *session);
        if (merge && merge->isClean) {
            merged[change.path] = std::move(merge->bytes);
        }
    }
    return merged;
}

} // namespace revet::workspace
