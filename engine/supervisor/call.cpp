// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/call.h"

#include <fcntl.h>

namespace revet::supervisor {

ActionKind actionOf(const Call& call)
{
    switch (call.operation) {
    case Operation::Open: {
        const bool creates = (call.flags & O_CREAT) != 0;
        const bool writes = (call.flags & (O_WRONLY | O_RDWR | O_TRUNC)) != 0;
        return creates || writes ? ActionKind::Write : ActionKind::Read;
    }
    case Operation::MakeDirectory:
    case Operation::MakeNode:
    case Operation::MakeSymlink: // its name is what is new; of a Link both names are files
        return ActionKind::Create;
    case Operation::MakeLink:
        return ActionKind::Link;
    case Operation::Remove:
    case Operation::RemoveDirectory:
        return ActionKind::Delete;
    case Operation::Rename:
        return ActionKind::Rename;
    case Operation::Truncate:
        return ActionKind::Write;
    case Operation::ChangeMode:
    case Operation::ChangeOwner:
    case Operation::ChangeTimes:
    case Operation::SetAttribute:
    case Operation::RemoveAttribute:
        return ActionKind::Chmod;
    case Operation::CheckAccess:
        return ActionKind::Read;
    case Operation::BindLocalSocket:
        return ActionKind::Listen;
    case Operation::Connect:
        return ActionKind::Connect;
    }
    return ActionKind::Write;
}

} // namespace revet::supervisor
