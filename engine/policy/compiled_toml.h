// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/policy/toml_text.h"

namespace revet::policy {

/// A TOML text's table in a form that is read a hundred times faster, with the lines of the text for error
/// messages. parseToml() takes either form; Revet's own tables and profiles are compiled when it is built.
[[nodiscard]] std::string compileToml(const TomlValue& root);
[[nodiscard]] bool isCompiledToml(std::string_view bytes);
/// Total decoding: any bytes either decode to what some TOML text could say, or fail as Malformed.
[[nodiscard]] Result<TomlValue> readCompiledToml(std::string_view bytes);

} // namespace revet::policy
