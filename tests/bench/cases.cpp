// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/bench/cases.h"

namespace revet::bench {

std::string sharedPreparation()
{
    return "mkdir -p files && for n in $(seq 2000); do echo \"file $n\" > files/$n; done && tar cf files.tar "
           "files\n"
           "git init -q -b main repository && cp -r files repository/ && cd repository\n"
           "git add . && git -c user.name=T -c user.email=t@example.org commit -q -m first && cd ..\n"
           "mkdir sources && for n in 1 2 3 4 5 6 7 8; do printf '#include <algorithm>\n#include <iostream>\n"
           "#include <map>\n#include <string>\n#include <vector>\nint f%s(std::map<std::string, int>& m) "
           "{ std::vector<int> v; for (auto& [k, n] : m) { v.push_back(n); } std::sort(v.begin(), v.end()); "
           "std::cout << v.size(); return v.empty() ? 0 : v[0]; }\n' $n > sources/f$n.cpp; done\n"
           "printf 'all: f1.o f2.o f3.o f4.o f5.o f6.o f7.o f8.o\n%%.o: %%.cpp\n\tg++ -std=c++17 -c $<\n' "
           "> sources/Makefile\n";
}

std::vector<Case> allCases()
{
    return {
        {"start of /bin/true", "", {"/bin/true"}, 25, "floor <= 1.3 x bwrap; goal <= 0.55 x bwrap"},
        {"start among 2,000 files",
         "cp -r $SHARED/files .",
         {"/bin/true"},
         9,
         "the project is looked through for files to hide"},
        {"one observed open",
         "",
         {"$VICTIMS/many_opens", "20", "2000"},
         5,
         "floor <= 8000 ns added; goal <= 6500",
         "ns-per-open"},
        {"one brokered open for writing",
         "",
         {"$VICTIMS/many_opens", "20", "500", "write"},
         5,
         "added, performed by us",
         "ns-per-open"},
        {"events from four programs",
         "",
         {"/bin/sh", "-c",
          "for d in 1 2 3 4; do mkdir $d; (cd $d && $VICTIMS/many_opens 100 100 > out) & done; wait"},
         3,
         ">= 50,000 events/s without loss",
         "",
         40'000},
        {"node -e 0", "", {"/usr/bin/node", "-e", "0"}, 9, "goal <= 1.03 x bare"},
        {"python imports",
         "",
         {"/usr/bin/python3", "-c",
          "import asyncio, json, http.client, xml.dom, unittest, sqlite3, email, decimal, ssl"},
         9,
         "goal <= 1.08 x bare"},
        {"find /usr",
         "",
         {"/bin/sh", "-c", "find /usr -xdev -type f > found 2>/dev/null; true"},
         7,
         "goal <= 1.06 x bare"},
        {"grep -r /usr/include",
         "",
         {"/bin/sh", "-c", "grep -r no-such-word-anywhere /usr/include; true"},
         5,
         "goal <= 1.75 x bare"},
        {"tar x of 2,000 files",
         "cp $SHARED/files.tar .",
         {"/bin/tar", "xf", "files.tar"},
         5,
         "best found 1.1 x bare"},
        {"rm -rf of 50,000 files",
         "mkdir tree && for n in $(seq 25); do cp -r $SHARED/files tree/$n; done && sync",
         {"/bin/rm", "-rf", "tree"},
         3,
         "goal <= 1.0 x bare in the sandbox, where all of it can be undone"},
        {"git clone",
         "cp -r $SHARED/repository .",
         {"/usr/bin/git", "clone", "-q", "repository", "clone"},
         5,
         "best found 1.1 x bare"},
        {"git status",
         "cp -r $SHARED/repository/. .",
         {"/usr/bin/git", "status"},
         7,
         "found: 1.28 x bare without a layer"},
        {"make -j2 of 8 C++ files",
         "cp $SHARED/sources/* .",
         {"/usr/bin/make", "-s", "-j2"},
         5,
         "floor <= 1.10 x bare; goal <= 1.08"},
    };
}

} // namespace revet::bench
