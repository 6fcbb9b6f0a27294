#!/bin/sh
# SPDX-FileCopyrightText: The Revet developers
# SPDX-License-Identifier: Apache-2.0
# Configure, build, test and rebuild a C++ project.
. "$(dirname "$0")/common.sh"
mkdir source
cat > source/CMakeLists.txt <<'CM'
cmake_minimum_required(VERSION 3.25)
project(sample CXX)
enable_testing()
add_library(part STATIC part.cpp)
add_executable(sample main.cpp)
target_link_libraries(sample PRIVATE part)
add_test(NAME runs COMMAND sample)
CM
printf '#include <string>\nstd::string part() { return "part"; }\n' > source/part.cpp
printf '#include <iostream>\n#include <string>\nstd::string part();\nint main() { std::cout << part() << "\\n"; }\n' \
    > source/main.cpp
cmake -G Ninja -S source -B build > /dev/null
ninja -C build > /dev/null
build/sample
(cd build && ctest -Q && echo tested)
printf '#include <string>\nstd::string part() { return "changed"; }\n' > source/part.cpp
ninja -C build > /dev/null
build/sample
ninja -C build | tail -1
