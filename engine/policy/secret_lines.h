// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>

namespace revet::policy {

/// A tool's settings, one a line, without the lines that may hold a secret: those that speak of tokens, keys,
/// passwords and the like, and addresses with a user in them. Total. Rather too little is left than too much:
/// nothing of a text whose values may go over several lines.
[[nodiscard]] std::string withoutSecretLines(std::string_view text);

} // namespace revet::policy
