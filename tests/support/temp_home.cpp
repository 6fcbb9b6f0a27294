// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/support/temp_home.h"

#include "engine/base/assert.h"

#include <QString>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>

#include <unistd.h>

namespace revet::test {

namespace fs = std::filesystem;

namespace {

fs::path makeRoot()
{
    std::string path = qEnvironmentVariable("TMPDIR", QStringLiteral("/var/tmp")).toStdString();
    path += "/revet-test-XXXXXX";
    REVET_ASSERT(::mkdtemp(path.data()) != nullptr);
    // The box shows the project at its canonical path, and tests compare paths.
    return fs::canonical(path);
}

void makeDirectoriesAccessible(const fs::path& directory)
{
    std::error_code error;
    fs::permissions(directory, fs::perms::owner_all, fs::perm_options::add | fs::perm_options::nofollow,
                    error);
    for (const fs::directory_entry& entry : fs::directory_iterator(directory, error)) {
        if (fs::is_directory(entry.symlink_status(error))) {
            makeDirectoriesAccessible(entry.path());
        }
    }
}

} // namespace

TempHome::TempHome()
    : m_root(makeRoot())
{
    for (const fs::path& directory : {project(), home() / ".config", home() / ".cache", dataHome()}) {
        fs::create_directories(directory);
    }
    fs::create_directory(runtimeDirectory());
    fs::permissions(runtimeDirectory(), fs::perms::owner_all);
}

TempHome::~TempHome()
{
    removeTree(m_root);
}

std::map<std::string, std::string> TempHome::environment() const
{
    return {
        {"HOME", home()},
        {"LC_ALL", "C.UTF-8"},
        {"LOGNAME", "tester"},
        {"PATH", "/usr/local/bin:/usr/bin:/bin"},
        {"SHELL", "/bin/sh"},
        {"TERM", "dumb"},
        {"USER", "tester"},
        {"XDG_CACHE_HOME", home() / ".cache"},
        {"XDG_CONFIG_HOME", home() / ".config"},
        {"XDG_DATA_HOME", dataHome()},
        {"XDG_RUNTIME_DIR", runtimeDirectory()},
    };
}

void writeFile(const fs::path& file, std::string_view content)
{
    fs::create_directories(file.parent_path());
    std::ofstream stream(file, std::ios::binary | std::ios::trunc);
    stream << content;
    stream.close();
    REVET_ASSERT(stream.good());
}

std::string readFile(const fs::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    REVET_ASSERT(stream.good());
    return {std::istreambuf_iterator<char>(stream), {}};
}

bool removeTree(const fs::path& top)
{
    std::error_code error;
    if (fs::is_directory(fs::symlink_status(top, error))) {
        makeDirectoriesAccessible(top);
    }
    fs::remove_all(top, error);
    return !error;
}

} // namespace revet::test
