// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Gives everything below the working directory another path, by which other rules hold: moves a directory
// above it, builds one of the same name in which it lies below "node_modules", and plants a payload there.

#include "tests/sandboxees/deed.h"

#include <cstdio>

#include <sys/stat.h>
#include <unistd.h>

namespace victim = revet::victim;

namespace {

constexpr std::string_view kPayload = "REVET-CANARY\n";

std::string parentOf(const std::string& path)
{
    return path.substr(0, path.rfind('/'));
}

void makeDirectories(const std::string& path)
{
    for (std::size_t slash = path.find('/', 1); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
        static_cast<void>(::mkdir(path.substr(0, slash).c_str(), 0755));
    }
    static_cast<void>(::mkdir(path.c_str(), 0755));
}

int rename(const std::string& from, const std::string& to)
{
    return victim::outcome(::rename(from.c_str(), to.c_str()));
}

} // namespace

int main(int argc, char** argv)
{
    std::string here(4096, '\0');
    if (argc != 2 || ::getcwd(here.data(), here.size()) == nullptr) {
        return victim::usage("move_above NAME");
    }
    here.resize(here.find('\0'));
    victim::Report report;
    // Its directory is known from then on.
    static_cast<void>(victim::appendText(here + "/ordinary", kPayload));
    std::string above = parentOf(here);
    int moved = EBUSY;
    for (; !above.empty() && moved != 0; above = moved == 0 ? above : parentOf(above)) {
        moved = rename(above, above + "-aside");
        victim::say({"rename ", above, " ", victim::errnoName(moved)});
    }
    report.attempt("move above", moved);
    if (moved == 0) {
        const std::string twin = above + "-twin";
        makeDirectories(twin);
        report.attempt("hide", rename(above + "-aside", twin + "/node_modules"));
        makeDirectories(parentOf(here));
        report.attempt("replace", rename(twin, here));
        report.attempt(
            "plant",
            victim::appendText(here + "/node_modules" + here.substr(above.size()) + '/' + argv[1], kPayload));
    }
    return report.status();
}
