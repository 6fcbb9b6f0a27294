// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/policy/tool_hosts.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace revet::session {

/// What the user's tools are configured to fetch from: their variables and files, of the user and the
/// machine. Not what the project says, since a box may have written that, and a stranger's project what it
/// likes. No tool is run for it.
class ToolConfiguration
{
public:
    /// All outlive this; `home` and `project` are canonical.
    ToolConfiguration(const std::vector<std::string>& environment, const std::string& home,
                      const std::string& project)
        : m_environment(environment)
        , m_home(home)
        , m_project(project)
    {
    }

    struct Found
    {
        policy::Addresses addresses;
        std::string value; ///< for the tool's own variable, without passwords; empty: nothing is configured
    };
    /// For "$npm-registry" and its like, and "$NAME" for an address in a variable.
    [[nodiscard]] Found find(std::string_view token) const;

private:
    [[nodiscard]] Found npm() const;
    [[nodiscard]] Found python() const;
    [[nodiscard]] Found cargo() const;
    [[nodiscard]] Found go(const std::string& variable) const;
    [[nodiscard]] Found maven() const;

    /// The text of a file that is there and not in the project, else nothing.
    [[nodiscard]] std::string read(const std::filesystem::path& file) const;
    [[nodiscard]] std::string variable(const std::string& name) const;
    /// A directory or file of HOME, or where the variable says.
    [[nodiscard]] std::filesystem::path placeOf(const std::string& variableName,
                                                std::string_view inHome) const;
    /// Two directories above a program on PATH, links followed.
    [[nodiscard]] std::filesystem::path prefixOf(std::string_view program) const;

    const std::vector<std::string>& m_environment;
    const std::string& m_home;
    const std::string& m_project;
};

} // namespace revet::session
