// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/journal/empty_journal.h"

#include <array>
#include <cstdint>

namespace revet::journal {

namespace {

#include "empty_journal.inc" // kEmptyJournal: an array of bytes

} // namespace

std::string_view emptyJournal()
{
    return {reinterpret_cast<const char*>(kEmptyJournal.data()), kEmptyJournal.size()};
}

} // namespace revet::journal
