// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/workspace/direct_changes.h"

#include <filesystem>
#include <map>
#include <string>

namespace revet::test {

/// A tree, each path with everything about it: type, mode, times, attributes, target, bytes, and with which
/// other name it shares its file.
using Tree = std::map<std::string, std::string>;

[[nodiscard]] Tree treeAt(const std::filesystem::path& root);
/// The tree before a session, put together from its pre-images and what is there now.
[[nodiscard]] Tree treeBefore(workspace::DirectChanges& changes);
/// What differs, a line each; empty when nothing does.
[[nodiscard]] std::string difference(const Tree& expected, const Tree& actual);

} // namespace revet::test
