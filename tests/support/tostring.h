// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "engine/base/strong_id.h"
#include "engine/domain/display_escape.h"
#include "engine/domain/ids.h"

#include <QTest>

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Lets QCOMPARE print our types. Qt's own way, toString() in the type's namespace returning char*, is taken:
// revet::toString() exists and returns text of ours, so that QCOMPARE would not even compile.

namespace revet::test {

/// How a failed comparison shows a T: specialise it with `static std::string text(const T&)`.
template<typename T>
struct Describe;

template<typename T>
concept Describable = requires(const T& value)
{
    {
        Describe<T>::text(value)
        } -> std::same_as<std::string>;
};

template<typename T>
concept HasToString = requires(const T& value)
{
    {
        ::revet::toString(value)
        } -> std::convertible_to<std::string_view>;
};

template<HasToString T>
struct Describe<T>
{
    static std::string text(const T& value) { return std::string(::revet::toString(value)); }
};

template<>
struct Describe<std::string_view>
{
    static std::string text(std::string_view value) { return '"' + displayEscape(value) + '"'; }
};

template<>
struct Describe<std::string> : Describe<std::string_view>
{
};

template<std::size_t Size>
struct Describe<char[Size]> : Describe<std::string_view>
{
};

template<>
struct Describe<WallTime>
{
    static std::string text(WallTime value) { return toRfc3339(value); }
};

template<>
struct Describe<SessionId>
{
    static std::string text(const SessionId& value) { return value.isNone() ? "none" : value.text(); }
};

template<typename Tag, typename Number>
struct Describe<StrongId<Tag, Number>>
{
    static std::string text(StrongId<Tag, Number> value) { return '#' + std::to_string(value.value()); }
};

template<Describable T>
struct Describe<std::optional<T>>
{
    static std::string text(const std::optional<T>& value)
    {
        return value ? Describe<T>::text(*value) : "nothing";
    }
};

template<Describable T>
struct Describe<std::vector<T>>
{
    static std::string text(const std::vector<T>& values)
    {
        std::string all;
        for (const T& value : values) {
            all += (all.empty() ? "" : ", ") + Describe<T>::text(value);
        }
        return '[' + all + ']';
    }
};

/// For QVERIFY2(result, why(result)): the error of a Result that should have been a value.
template<typename T>
[[nodiscard]] const char* why(const Result<T>& result)
{
    // QVERIFY2 wants a pointer and reads it within the same statement; each thread of tests is one.
    static thread_local std::string kept;
    kept = result ? "" : toString(result.error());
    return kept.c_str();
}

} // namespace revet::test

namespace QTest {

template<revet::test::Describable Actual, revet::test::Describable Expected>
bool qCompare(const Actual& actual, const Expected& expected, const char* actualText,
              const char* expectedText, const char* file, int line)
{
    return compare_helper(
        actual == expected, "Compared values are not the same",
        [&] { return qstrdup(revet::test::Describe<Actual>::text(actual).c_str()); },
        [&] { return qstrdup(revet::test::Describe<Expected>::text(expected).c_str()); }, actualText,
        expectedText, file, line);
}

} // namespace QTest
