// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/toolchains.h"

#include "engine/base/directory.h"
#include "engine/session/account.h"
#include "engine/session/own_places.h"
#include "engine/session/project_finder.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include <glob.h>
#include <unistd.h>

namespace revet::session {

namespace {

namespace fs = std::filesystem;

/// What lies beside the "bin" of an installation and belongs to it. No "etc", where registries' tokens are,
/// and no "src", where people's work is.
constexpr std::array kParts{"bin",     "sbin", "lib",   "lib32", "lib64", "libexec", "share",
                            "include", "conf", "jmods", "jre",   "boot",  "release", "pyvenv.cfg"};

bool isBinary(const fs::path& directory)
{
    const fs::path name = directory.filename();
    return name == "bin" || name == "sbin" || name == "shims";
}

/// ".../node_modules" for what lies in it: the packages of a program lie beside it.
fs::path packagesAround(const fs::path& program)
{
    const std::string text = program.string();
    constexpr std::string_view kPackages = "/node_modules/";
    const std::size_t at = text.find(kPackages);
    return at == std::string::npos ? fs::path() : fs::path(text.substr(0, at + kPackages.size() - 1));
}

class Finder
{
public:
    explicit Finder(const ToolchainSearch& search)
        : m_search(search)
    {
    }

    void addDirectoryOfPath(const fs::path& named)
    {
        const fs::path directory = named.lexically_normal();
        std::error_code error;
        const fs::path real = fs::canonical(directory, error);
        if (error || !directory.is_absolute() || !isInHome(directory) || isChangeable(directory)
            || isChangeable(real)) {
            return; // what is in a project is there anyway
        }
        addInstallation(directory);
        addLinkTargets(directory);
    }

    void add(const fs::path& path)
    {
        std::error_code error;
        const fs::path real = fs::canonical(path, error);
        if (error || !isInHome(real) || real == m_search.home || isOwn(path) || isOwn(real)) {
            return;
        }
        m_places.emplace(real.string(), real.string());
        if (path != real && isInHome(path)) {
            m_places.emplace(path.string(), real.string()); // the name on PATH, whatever it leads to
        }
    }

    [[nodiscard]] Result<Toolchains> finish()
    {
        Toolchains found;
        if (m_places.empty()) {
            return found;
        }
        REVET_ASSIGN_OR_RETURN(const policy::HiddenTable hidden, m_search.hidden());
        const std::vector<std::string> secrets = secretsWithin(hidden);
        for (const auto& [place, real] : m_places) {
            // Sorted, so a parent comes first and covers what lies below it.
            const bool isCovered = std::ranges::any_of(found.visible, [&place = place](const auto& earlier) {
                return isWithin(place, earlier.host);
            });
            if (!isCovered && !hidden.match(place) && !hidden.match(real)) {
                found.visible.push_back({place, {}, tiers::VisiblePath::Access::ReadOnly});
                for (const std::string& secret : secrets) {
                    if (isWithin(secret, real)) {
                        found.masked.push_back(place + secret.substr(real.size()));
                    }
                }
            }
        }
        return found;
    }

private:
    [[nodiscard]] bool isInHome(const fs::path& path) const { return isWithin(path.string(), m_search.home); }
    [[nodiscard]] bool isOwn(const fs::path& path) const
    {
        return meetsOwnPlaces(path.string(), m_search.places);
    }
    [[nodiscard]] bool isChangeable(const fs::path& path) const
    {
        return std::ranges::any_of(m_search.changeable, [&path](const std::string& directory) {
            return isWithin(path.string(), directory);
        });
    }

    void addInstallation(const fs::path& folder)
    {
        add(folder);
        const fs::path prefix = folder.parent_path();
        const bool isShared = isWithin(m_search.home, prefix.string()) || prefix == m_search.home + "/.local";
        if (!isBinary(folder) || isShared) {
            return;
        }
        if (folder.filename() == "shims") {
            add(prefix); // of a version manager, whose versions lie beside it
            return;
        }
        std::error_code error;
        const fs::path realPrefix = fs::canonical(prefix, error);
        for (const char* const part : kParts) {
            const fs::path real = fs::canonical(prefix / part, error);
            if (!error && isWithin(real.string(), realPrefix.string())) {
                add(prefix / part);
            }
        }
    }

    /// The programs behind the links of one directory on PATH; a directory with thousands of programs is not
    /// a toolchain.
    void addLinkTargets(const fs::path& directory)
    {
        constexpr int kMaximumPrograms = 2000;
        int looked = 0;
        const auto look = [&](const fs::directory_entry& entry) {
            std::error_code error;
            if (++looked <= kMaximumPrograms && entry.is_symlink(error)) {
                addProgram(fs::canonical(entry.path(), error), directory);
            }
            return looked <= kMaximumPrograms;
        };
        // What cannot be listed shows nothing more.
        static_cast<void>(forEachEntry(directory, look).has_value());
    }

    void addProgram(const fs::path& program, const fs::path& linkedFrom)
    {
        std::error_code error;
        const bool isProgram = fs::is_regular_file(program, error) && ::access(program.c_str(), X_OK) == 0;
        if (!isProgram || isWithin(program.string(), linkedFrom.string())) {
            return;
        }
        if (isChangeable(program)) {
            add(program); // of its surroundings a box may have made what it likes
        } else if (const fs::path packages = packagesAround(program); !packages.empty()) {
            add(packages);
        } else if (isBinary(program.parent_path())) {
            addInstallation(program.parent_path());
        } else {
            add(program);
        }
    }

    /// What the table names outright, or by a glob of one level each, in what is shown: nothing is searched
    /// for. Where it really lies, since it may be shown by more than one name.
    [[nodiscard]] std::vector<std::string> secretsWithin(const policy::HiddenTable& hidden) const
    {
        std::vector<std::string> secrets;
        for (const policy::HiddenTable::Entry& entry : hidden.entries()) {
            const std::string fixed = entry.pattern.substr(0, entry.pattern.find_first_of("*?[{"));
            const bool canBeShown = std::ranges::any_of(m_places, [&fixed](const auto& item) {
                return isWithin(fixed, item.first)
                    || isWithin(item.first, fs::path(fixed).parent_path().string());
            });
            glob_t found{};
            if (canBeShown && entry.pattern.find("**") == std::string::npos
                && ::glob(entry.pattern.c_str(), GLOB_BRACE | GLOB_NOSORT, nullptr, &found) == 0) {
                for (std::size_t i = 0; i < found.gl_pathc; ++i) {
                    std::error_code error; // one that is gone by now is no secret
                    secrets.push_back(fs::canonical(found.gl_pathv[i], error).string());
                }
            }
            ::globfree(&found);
        }
        return secrets;
    }

    const ToolchainSearch& m_search;
    /// Paths of HOME, each with the place that it leads to.
    std::map<std::string, std::string> m_places;
};

} // namespace

Result<Toolchains> findToolchains(const ToolchainSearch& search)
{
    Finder finder(search);
    for (const fs::path& directory : directoriesOf(search.path)) {
        finder.addDirectoryOfPath(directory);
    }
    for (const auto& item : search.profile.visible) {
        finder.add(expandHome(item.value, search.home));
    }
    return finder.finish();
}

} // namespace revet::session
