// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/sandboxees/git_deeds.h"

#include "tests/sandboxees/deed.h"

#include <cstdio>

#include <fcntl.h>
#include <sys/stat.h>

namespace revet::victim {

int makeDirectories(const std::string& path)
{
    int last = 0;
    for (std::size_t slash = 0; slash != std::string::npos;) {
        slash = path.find('/', slash + 1);
        last = outcome(::mkdir(path.substr(0, slash).c_str(), 0755));
    }
    return last == EEXIST ? 0 : last;
}

int move(const std::string& from, const std::string& to)
{
    return outcome(::rename(from.c_str(), to.c_str()));
}

int writeNew(const std::string& path, std::string_view text)
{
    return appendText(path, text, O_TRUNC);
}

int makeBareShape(const std::string& directory)
{
    if (const int failed = makeDirectories(directory + "/objects"); failed != 0) {
        return failed;
    }
    if (const int failed = makeDirectories(directory + "/refs/heads"); failed != 0) {
        return failed;
    }
    return writeNew(directory + "/HEAD", "ref: refs/heads/main\n");
}

} // namespace revet::victim
