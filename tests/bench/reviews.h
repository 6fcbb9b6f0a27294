// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

namespace revet::bench {

/// How long it takes to look at what a session changed: times and goals of the cases with `word` in their
/// name, a line each.
void printReviews(const std::string& word);

} // namespace revet::bench
