// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/policy/toml_text.h"

namespace revet::policy {

/// A JSON text as the same kind of value; comments are passed over, as compilers' settings have them. Numbers
/// become texts, and null an empty list. At most 8 MiB and 64 levels; of a key that is
/// there twice the last one counts, as everywhere. A text whose top is no object fails.
[[nodiscard]] Result<TomlValue> parseJson(std::string_view json);

} // namespace revet::policy
