// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/host_refs.h"

#include "engine/workspace/file_content.h"
#include "engine/workspace/transaction_plan.h"
#include "engine/workspace/tree_path.h"

namespace revet::workspace {

namespace {

constexpr std::size_t kLargestRef = 4096;

} // namespace

Result<HostRefs> HostRefs::read(int tree, const std::string& prefix, const std::string& head,
                                const Bases& bases)
{
    HostRefs refs;
    refs.m_tree = tree;
    refs.m_prefix = prefix;
    refs.m_bases = &bases;
    const Result<Entry> packed = refs.entryAt("packed-refs");
    if (packed && packed->exists()) {
        REVET_ASSIGN_OR_RETURN(const std::string text, refs.textAt("packed-refs", kLargestRefFile));
        REVET_ASSIGN_OR_RETURN(refs.m_packed, readPackedRefs(text));
        refs.m_isPackedBase = bases.isBase(prefix + "packed-refs", *packed);
    }
    constexpr std::string_view kSymbolic = "ref: ";
    const std::string text = refs.textAt(head, kLargestRef).value_or("");
    if (text.starts_with(kSymbolic)) {
        refs.m_branch = text.substr(kSymbolic.size(), text.find('\n') - kSymbolic.size());
        refs.m_head = refs.at(refs.m_branch).id;
    } else {
        refs.m_head = readRef(text).value_or("");
    }
    return refs;
}

HostRef HostRefs::at(const std::string& name) const
{
    HostRef ref;
    const Result<Entry> entry = entryAt(name);
    ref.isOther = !entry || (entry->exists() && entry->type != EntryType::File);
    if (!entry || !entry->exists()) {
        const auto packed = m_packed.find(name);
        ref.id = packed == m_packed.end() ? "" : packed->second;
        return ref;
    }
    ref.file = *entry;
    const auto id = readRef(textAt(name, kLargestRef).value_or(""));
    ref.isOther = !id;
    ref.id = id.value_or("");
    return ref;
}

bool HostRefs::isBase(const std::string& name, const HostRef& ref) const
{
    return ref.file.exists() ? m_bases->isBase(m_prefix + name, ref.file) : m_isPackedBase;
}

bool HostRefs::hasRoomFor(const std::string& name) const
{
    for (std::string above = parentOf(name); above != "refs" && !above.empty(); above = parentOf(above)) {
        const Result<Entry> entry = entryAt(above);
        const bool isFree = entry && (!entry->exists() || entry->type == EntryType::Directory);
        if (!isFree || m_packed.contains(above)) {
            return false;
        }
    }
    const auto below = m_packed.lower_bound(name + '/');
    return below == m_packed.end() || !below->first.starts_with(name + '/');
}

Result<std::string> HostRefs::textAt(const std::string& path, std::size_t most) const
{
    REVET_ASSIGN_OR_RETURN(const UniqueFd file, openFile(m_tree, m_prefix + path));
    return readContent(file, most);
}

Result<Entry> HostRefs::entryAt(const std::string& path) const
{
    return lookAt(m_tree, m_prefix + path);
}

} // namespace revet::workspace
