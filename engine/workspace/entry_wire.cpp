// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/entry_wire.h"

#include <climits>

namespace revet::workspace {

namespace {

constexpr std::size_t kLongestDigest = 64;

} // namespace

void put(ByteWriter& out, const Entry& entry)
{
    out.number(static_cast<std::uint8_t>(entry.type));
    out.number(entry.mode);
    out.number(entry.size);
    out.number(entry.changed);
    out.number(entry.statusChanged);
    out.number(entry.device);
    out.number(entry.inode);
    out.number(entry.links);
    out.string(entry.target);
    out.string(entry.staged);
}

Result<Entry> readEntry(ByteReader& in)
{
    Entry entry;
    REVET_ASSIGN_OR_RETURN(const auto type, in.number<std::uint8_t>());
    if (type > static_cast<std::uint8_t>(EntryType::Device)) {
        return fail(ErrorCode::Malformed, "read the type of an entry");
    }
    entry.type = static_cast<EntryType>(type);
    REVET_ASSIGN_OR_RETURN(entry.mode, in.number<mode_t>());
    REVET_ASSIGN_OR_RETURN(entry.size, in.number<std::uint64_t>());
    REVET_ASSIGN_OR_RETURN(entry.changed, in.number<std::int64_t>());
    REVET_ASSIGN_OR_RETURN(entry.statusChanged, in.number<std::int64_t>());
    REVET_ASSIGN_OR_RETURN(entry.device, in.number<std::uint64_t>());
    REVET_ASSIGN_OR_RETURN(entry.inode, in.number<std::uint64_t>());
    REVET_ASSIGN_OR_RETURN(entry.links, in.number<std::uint32_t>());
    REVET_ASSIGN_OR_RETURN(entry.target, in.string(PATH_MAX));
    REVET_ASSIGN_OR_RETURN(entry.staged, in.string(kLongestDigest));
    return entry;
}

} // namespace revet::workspace
