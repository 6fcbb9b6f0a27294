// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace revet::test {

/// A user's world for one test: a HOME with XDG directories of its own and an empty project beside nothing
/// else. Removed at the end, whatever modes a box left behind. Lives in /var/tmp (or $TMPDIR), since a box
/// has a private /tmp of its own.
class TempHome
{
public:
    TempHome();
    ~TempHome();
    TempHome(const TempHome&) = delete;
    TempHome& operator=(const TempHome&) = delete;
    TempHome(TempHome&&) = delete;
    TempHome& operator=(TempHome&&) = delete;

    [[nodiscard]] const std::filesystem::path& root() const { return m_root; } ///< holds everything below
    [[nodiscard]] std::filesystem::path home() const { return m_root / "home"; }
    [[nodiscard]] std::filesystem::path project() const { return home() / "project"; }
    [[nodiscard]] std::filesystem::path dataHome() const { return home() / ".local/share"; }
    [[nodiscard]] std::filesystem::path runtimeDirectory() const { return m_root / "run"; }

    /// The whole environment of a program in this world: HOME, XDG_*, a system PATH, and little else.
    [[nodiscard]] std::map<std::string, std::string> environment() const;

private:
    std::filesystem::path m_root;
};

/// Creates parents as needed, replaces what is there. Aborts the test program on failure: nothing after it
/// would mean anything. Likewise readFile().
void writeFile(const std::filesystem::path& file, std::string_view content);
[[nodiscard]] std::string readFile(const std::filesystem::path& file);

/// Removes a tree that holds directories without permissions (mode 000), as the layers of boxes do. Never
/// follows a link. False when something is left.
bool removeTree(const std::filesystem::path& top);

} // namespace revet::test
