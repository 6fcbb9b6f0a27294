// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

namespace revet::test {

/// What a file of tests/golden says; empty when there is none.
[[nodiscard]] std::string readGolden(const std::string& name);
/// Where `actual` first differs from the golden file, for a failure; empty when it is equal. Under
/// --update-golden the file is written instead.
[[nodiscard]] std::string differenceFromGolden(const std::string& name, const std::string& actual);
/// Takes --update-golden out of the arguments; to be called by main() before Qt sees them.
void takeGoldenArgument(int& argc, char** argv);
[[nodiscard]] bool updatesGolden();

} // namespace revet::test

/// QTEST_APPLESS_MAIN for tests with golden files.
#define REVET_GOLDEN_MAIN(Class)                                                                             \
    int main(int argc, char** argv)                                                                          \
    {                                                                                                        \
        ::revet::test::takeGoldenArgument(argc, argv);                                                       \
        Class test;                                                                                          \
        return QTest::qExec(&test, argc, argv);                                                              \
    }
