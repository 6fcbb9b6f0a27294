// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace revet::bench {

/// What the way through the gateway costs, in a small internet of the benchmark's own namespaces, as ratios
/// to the bare loopback, to a plain relay on it and to pasta.
void printNetwork();

} // namespace revet::bench
