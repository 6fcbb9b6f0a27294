// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/engine/workspace/reconstruct.h"

#include "engine/workspace/tree_walk.h"

#include <QtGlobal>

#include <algorithm>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace revet::test {

using namespace revet::workspace;

namespace {

constexpr std::size_t kMaximum = 1'000'000;

struct Part
{
    Entry entry;
    std::string rest; ///< attributes and bytes
};

std::string bytesOf(const Result<UniqueFd>& file)
{
    if (!file) {
        return "unreadable: " + toString(file.error());
    }
    std::string bytes;
    std::string buffer(std::size_t{1} << 16U, '\0');
    for (;;) {
        const ssize_t count = ::read(file->get(), buffer.data(), buffer.size());
        if (count <= 0) {
            return bytes;
        }
        bytes.append(buffer, 0, static_cast<std::size_t>(count));
    }
}

std::string textOf(const std::vector<Attribute>& attributes)
{
    std::string text;
    for (const Attribute& attribute : attributes) {
        text += ' ' + attribute.name + '=' + attribute.value;
    }
    return text;
}

Part partAt(int root, const std::string& path, const Entry& entry)
{
    Part part{entry, textOf(readAttributes(root, path))};
    if (entry.type == EntryType::File) {
        part.rest += ' ' + bytesOf(openFile(root, path));
    }
    return part;
}

Tree described(const std::map<std::string, Part>& parts)
{
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> firstNames;
    Tree tree;
    for (const auto& [path, part] : parts) {
        const Entry& entry = part.entry;
        const auto [first, isFirst] = firstNames.try_emplace({entry.device, entry.inode}, path);
        tree[path] = std::to_string(static_cast<int>(entry.type)) + ' ' + std::to_string(entry.mode) + ' '
            + std::to_string(entry.changed) + ' ' + std::to_string(entry.size) + ' ' + entry.target
            + (isFirst ? std::string() : " = " + first->second) + part.rest;
    }
    return tree;
}

UniqueFd opened(const std::filesystem::path& root)
{
    return UniqueFd(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

void walk(int root, const std::function<void(const std::string&, const Entry&)>& visit)
{
    const auto walked = walkTree(root, {}, kMaximum, [&](const std::string& path, const Entry& entry) {
        visit(path, entry);
        return true;
    });
    if (!walked) {
        qFatal("%s", toString(walked.error()).c_str());
    }
}

} // namespace

Tree treeAt(const std::filesystem::path& root)
{
    const UniqueFd directory = opened(root);
    std::map<std::string, Part> parts;
    walk(directory.get(), [&](const std::string& path, const Entry& entry) {
        parts[path] = partAt(directory.get(), path, entry);
    });
    return described(parts);
}

Tree treeBefore(DirectChanges& changes)
{
    const UniqueFd directory = opened(changes.images().root);
    std::map<std::string, Part> parts;
    const auto& saved = changes.before().saved();
    walk(directory.get(), [&](const std::string& path, const Entry& entry) {
        const auto original = changes.before().originalOf(path);
        if (original && !saved.contains(*original)) {
            const PreImageRecord* const shared = changes.before().savedOf(entry);
            Part part = partAt(directory.get(), path, shared == nullptr ? entry : shared->entry);
            if (shared != nullptr) {
                part.rest = textOf(shared->attributes) + ' ' + bytesOf(openFile(directory.get(), path));
            }
            parts[*original] = std::move(part);
        }
    });
    for (const auto& [path, record] : saved) {
        Part part{record.entry, textOf(record.attributes)};
        if (record.entry.type == EntryType::File) {
            Change change;
            change.path = path;
            part.rest += ' ' + bytesOf(changes.openBefore(change));
        }
        parts[path] = std::move(part);
    }
    return described(parts);
}

std::string difference(const Tree& expected, const Tree& actual)
{
    constexpr std::size_t kShown = 200;
    std::string text;
    for (const auto& [path, part] : expected) {
        const auto found = actual.find(path);
        if (found == actual.end()) {
            text += "missing " + path + ": " + part.substr(0, kShown) + '\n';
        } else if (found->second != part) {
            text += "differs " + path + ":\n  " + part.substr(0, kShown) + "\n  "
                + found->second.substr(0, kShown) + '\n';
        }
    }
    for (const auto& [path, part] : actual) {
        if (!expected.contains(path)) {
            text += "too much " + path + ": " + part.substr(0, kShown) + '\n';
        }
    }
    return text;
}

} // namespace revet::test
