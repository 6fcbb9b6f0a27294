// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace revet::supervisor {

/// What is on the host, for telling what a box does not get to see. Thread-safe.
class HostView
{
public:
    /// Reads which file systems of the host may keep a look-up waiting (network, FUSE, automounter).
    HostView();

    /// Whether the host has an entry of that name. False where finding out could block.
    [[nodiscard]] bool has(const std::string& absolutePath) const;

private:
    std::vector<std::string> m_slowMounts;
};

/// The text of /proc/self/mountinfo; empty where it cannot be read.
[[nodiscard]] std::string ownMountInfo();
/// Mount points in the text of /proc/self/mountinfo whose file system may block.
[[nodiscard]] std::vector<std::string> slowMountPoints(std::string_view mountInfo);
/// The others.
[[nodiscard]] std::vector<std::string> quickMountPoints(std::string_view mountInfo);

} // namespace revet::supervisor
