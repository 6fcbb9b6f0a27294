// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/journal/sqlite_error.h"

#include <sqlite3.h>

#include <cerrno>
#include <utility>

namespace revet::journal {

namespace {

ErrorCode codeOf(int status)
{
    switch (status & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return ErrorCode::TimedOut;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_MISMATCH:
        return ErrorCode::Malformed;
    case SQLITE_CONSTRAINT:
        return ErrorCode::Conflict;
    case SQLITE_TOOBIG:
        return ErrorCode::LimitExceeded;
    default:
        return ErrorCode::System;
    }
}

} // namespace

Error sqliteError(sqlite3* database, int status, std::string operation)
{
    Error error{codeOf(status), std::move(operation), 0, sqlite3_errstr(status)};
    if (database != nullptr) {
        error.context = sqlite3_errmsg(database);
        if (error.code == ErrorCode::System) {
            error.errnoValue = sqlite3_system_errno(database);
        }
    }
    if ((status & 0xff) == SQLITE_FULL) {
        error.errnoValue = error.errnoValue == 0 ? ENOSPC : error.errnoValue;
        error.context = "make room there; `revet prune --older-than 7d` removes old records";
    }
    return error;
}

} // namespace revet::journal
