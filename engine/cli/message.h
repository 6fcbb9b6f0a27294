// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/error.h"

#include <string>
#include <string_view>
#include <vector>

namespace revet::cli {

// Exit statuses that scripts rely on.
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;
inline constexpr int kNoSuchThing = 3;
inline constexpr int kTierUnavailable = 4;
inline constexpr int kRefused = 5;
inline constexpr int kConflict = 6;
/// Of `revet run`, whose other statuses are the command's own.
inline constexpr int kRunFailed = 125;

/// Writes "revet: WHAT: WHY; REMEDY" and returns the status that goes with the error.
int report(const Error& error);
/// Writes "revet: TEXT"; hostile parts must have been escaped.
void complain(std::string_view text);
[[nodiscard]] int exitCodeFor(ErrorCode code);

/// The candidate that a mistyped word was most likely meant to be; empty when none is close.
[[nodiscard]] std::string closestWord(std::string_view word, const std::vector<std::string>& candidates);

/// Writes all of it to standard error, as far as that can be written to.
void printToErrors(std::string_view text);
/// Writes all of it; a closed standard output ends the program quietly, as SIGPIPE would.
void print(std::string_view text);

} // namespace revet::cli
