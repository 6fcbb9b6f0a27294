// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cerrno>
#include <initializer_list>
#include <string>
#include <string_view>

/// What every victim shares. A victim does one deed and tells how it went, a line for each attempt:
/// "what RESULT", where RESULT is OK or the name of an errno, so that a test can compare it with what the box
/// should answer and with what happens bare.
namespace revet::victim {

/// Exit statuses, chosen clear of those that a box's runner gives itself (125 to 127, 128 + n).
inline constexpr int kDone = 0; ///< at least one attempt succeeded
inline constexpr int kRefused = 1; ///< none did
inline constexpr int kUsage = 2;

/// "OK" for 0, "EACCES", …; "E<number>" for what has no name.
[[nodiscard]] std::string errnoName(int errnoValue);

/// Of a system call's return value, right after the call: 0 or errno.
[[nodiscard]] inline int outcome(long result)
{
    return result < 0 ? errno : 0;
}

/// Writes the pieces and a newline to standard output at once, so that lines of two processes do not mix.
void say(std::initializer_list<std::string_view> pieces);

/// "what OK" or "what ENAME", and remembers whether anything succeeded.
class Report
{
public:
    void attempt(std::string_view what, int errnoValue);
    [[nodiscard]] int status() const { return m_succeeded ? kDone : kRefused; }

private:
    bool m_succeeded = false;
};

/// Prints how to call the victim on standard error.
[[nodiscard]] int usage(std::string_view text);

/// 0 or the errno of opening `path` for appending (made if missing) and writing `text`.
[[nodiscard]] int appendText(const std::string& path, std::string_view text, int extraFlags = 0);
/// 0 or the errno of opening `path`; up to 64 KiB of it are put into `text`.
[[nodiscard]] int readText(const std::string& path, std::string* text);
/// A decimal number, or `fallback`.
[[nodiscard]] long numberOr(const char* text, long fallback);

} // namespace revet::victim
