// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/domain/places.h"
#include "engine/session/path_kin.h"

#include <string>

namespace revet::session {

/// Whether an absolute path is, holds or lies in a directory of Revet's own: what a box must never see, since
/// there are the records, the copies of what was overwritten and the grants of every project.
[[nodiscard]] bool meetsOwnPlaces(const std::string& path, const Places& places);
/// The same by whatever name, and slower.
[[nodiscard]] bool meetsOwnPlaces(const PathKin& path, const Places& places);

} // namespace revet::session
