// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/program_place.h"

#include "engine/session/account.h"
#include "engine/session/project_finder.h"

#include <algorithm>
#include <filesystem>

#include <unistd.h>

namespace revet::session {

namespace {

namespace fs = std::filesystem;

/// As a shell finds it; empty where it does not, or where a box has another in its own home.
fs::path find(const std::string& command, const ProgramSearch& search)
{
    if (command.find('/') != std::string::npos) {
        return fs::path(search.directory) / command;
    }
    for (const fs::path& named : directoriesOf(search.path)) {
        const fs::path directory = search.directory / named;
        std::error_code error;
        if (isWithin(directory.string(), search.home)
            && fs::exists(search.privateHome / directory.lexically_relative(search.home) / command, error)) {
            return {};
        }
        const fs::path program = directory / command;
        if (fs::is_regular_file(program, error) && ::access(program.c_str(), X_OK) == 0) {
            return program;
        }
    }
    return {};
}

} // namespace

bool isBeyondBoxes(const std::string& command, const ProgramSearch& search)
{
    constexpr int kMaximumLinks = 40; // as the kernel has it
    const auto isChangeable = [&search](const fs::path& place) {
        return std::ranges::any_of(search.changeable, [&place](const std::string& top) {
            return isWithin(place.lexically_normal().string(), top);
        });
    };
    fs::path program = find(command, search);
    for (int links = 0; links < kMaximumLinks && !program.empty(); ++links) {
        std::error_code error;
        const fs::path real = fs::canonical(program.parent_path(), error) / program.filename();
        // Nor by a way through there: a link that leads out of it can lead elsewhere by the time of the
        // start.
        if (error || isChangeable(program) || isChangeable(real)) {
            return false;
        }
        if (!fs::is_symlink(real, error)) {
            return fs::exists(real, error);
        }
        program = real.parent_path() / fs::read_symlink(real, error);
    }
    return false;
}

} // namespace revet::session
