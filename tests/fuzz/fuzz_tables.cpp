// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/environment.h"
#include "engine/policy/hidden.h"
#include "engine/policy/run_later.h"
#include "engine/policy/settings_merge.h"

#include <cstddef>
#include <cstdint>

using namespace revet::policy;

// One text as each of the tables, and as a repository's settings.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    // libFuzzer's bytes are a char string to us.
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto table = RunLaterTable::parse(text)) {
        static_cast<void>(table->match(text));
        static_cast<void>(table->couldHoldPinned(text.substr(0, size / 2)));
        static_cast<void>(table->check("a/package.json"));
    }
    if (const auto table = HiddenTable::parse(text, {"/home/u", "/run/user/1"})) {
        static_cast<void>(table->match("/home/u/.ssh/id"));
    }
    if (const auto names = HiddenNames::parse(text)) {
        static_cast<void>(names->match(text));
    }
    if (const auto table = EnvironmentTable::parse(text)) {
        static_cast<void>(filterEnvironment({"A=1", std::string(text)}, *table, {std::string(text)}));
    }
    if (const auto settings = parseSettings(text, "fuzz")) {
        const auto again = parseSettings(toToml(*settings), "again");
        if (!again || *again != *settings) {
            __builtin_trap();
        }
        if (tightenedBy(*settings, *settings).taken != Settings{}) {
            __builtin_trap();
        }
    }
    return 0;
}
