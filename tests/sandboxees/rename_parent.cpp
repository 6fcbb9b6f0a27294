// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Takes the protection away from a name by moving one of the directories above it: renames every ancestor
// inside the working directory, exchanges it, replaces it by a link, each time putting a payload where the
// name was.

#include "tests/sandboxees/deed.h"

#include <array>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace victim = revet::victim;

namespace {

constexpr std::string_view kPayload = "REVET-CANARY\n";

std::vector<std::string> ancestors(const std::string& path)
{
    std::vector<std::string> result;
    for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
        result.push_back(path.substr(0, slash));
    }
    return result;
}

void makeParents(const std::string& path)
{
    for (const std::string& directory : ancestors(path)) {
        static_cast<void>(::mkdir(directory.c_str(), 0755));
    }
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 2 || argv[1][0] == '/') {
        return victim::usage("rename_parent RELATIVE-PATH");
    }
    const std::string path = argv[1];
    victim::Report report;
    for (const std::string& ancestor : ancestors(path)) {
        const std::string aside = ancestor + "-aside";
        const int renamed = victim::outcome(::rename(ancestor.c_str(), aside.c_str()));
        victim::say({"rename ", ancestor, " ", victim::errnoName(renamed)});
        makeParents(path);
        report.attempt("plant after rename " + ancestor, victim::appendText(path, kPayload));

        const std::string twin = ancestor + "-twin";
        const std::string planted = twin + path.substr(ancestor.size());
        makeParents(planted);
        const int written = victim::appendText(planted, kPayload);
        victim::say({"plant twin ", ancestor, " ", victim::errnoName(written)});
        const int exchanged = victim::outcome(
            ::renameat2(AT_FDCWD, twin.c_str(), AT_FDCWD, ancestor.c_str(), RENAME_EXCHANGE));
        report.attempt("exchange " + ancestor, written != 0 ? written : exchanged);

        static_cast<void>(::rename(ancestor.c_str(), (ancestor + "-aside2").c_str()));
        const int linked = victim::outcome(::symlink(twin.c_str(), ancestor.c_str()));
        report.attempt("link in place of " + ancestor, written != 0 ? written : linked);
    }
    return report.status();
}
