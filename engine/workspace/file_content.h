// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"

#include <cstdint>
#include <string>

namespace revet::workspace {

/// Whether both files hold the same bytes. Holes are passed over, and equal zeros.
[[nodiscard]] Result<bool> isEqualContent(const UniqueFd& left, const UniqueFd& right);
/// Copies what is data of the first `size` bytes, so that a sparse file stays one, and gives `to` that size.
/// False where `from` ended within data: it shrank at this moment.
[[nodiscard]] Result<bool> copyData(const UniqueFd& from, const UniqueFd& to, std::uint64_t size);
/// The whole file; LimitExceeded where it is larger.
[[nodiscard]] Result<std::string> readContent(const UniqueFd& file, std::size_t maximumBytes);
/// A number that files of equal content share, and others hardly ever.
[[nodiscard]] Result<std::uint64_t> contentHash(const UniqueFd& file);

} // namespace revet::workspace
