// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/error.h"

#include <string>

namespace revet {

/// "WHAT: WHY; REMEDY" in one line fit for a screen, whatever bytes of a box or a repository the error
/// quotes. A backslash stays as it is, since parts may have been through displayEscape() before.
[[nodiscard]] std::string errorLine(const Error& error);

} // namespace revet
