// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <string>

namespace revet::api {

/// The program that does what needs a Review, with the arguments that `revet` got. Apart from it, since it
/// loads libgit2 and all that it brings along, which takes longer than to start a box, and since it moves
/// into a user namespace.
[[nodiscard]] Result<std::string> reviewProgram();

} // namespace revet::api
