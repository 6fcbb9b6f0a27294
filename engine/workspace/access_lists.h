// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <optional>
#include <string>
#include <string_view>

namespace revet::workspace {

[[nodiscard]] bool isAccessList(std::string_view name);

/// Access lists name people by numbers, and a user namespace knows the own one only: what is read there names
/// the others as nobody, and cannot be set again. From here on a process that stays behind reads and sets
/// them, for what is done by attributes.h. Before os::enterUserNamespace(), in a program without threads.
[[nodiscard]] Result<void> keepAccessListsWhole();
[[nodiscard]] bool areAccessListsKept();

/// What the process that stays behind says of an object (O_PATH will do). None: it is not there.
[[nodiscard]] Result<std::optional<std::string>> keptAccessList(int object, const std::string& name);
/// None removes it.
[[nodiscard]] Result<void> changeKeptAccessList(int object, const std::string& name,
                                                const std::optional<std::string>& value);

} // namespace revet::workspace
