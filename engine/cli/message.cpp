// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/message.h"

#include "engine/domain/error_line.h"

#include <algorithm>
#include <cerrno>
#include <numeric>

#include <unistd.h>

namespace revet::cli {

namespace {

bool writeAll(int fd, std::string_view text)
{
    while (!text.empty()) {
        const ssize_t written = ::write(fd, text.data(), text.size());
        if (written < 0 && errno != EINTR) {
            return false;
        }
        text.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
    }
    return true;
}

std::size_t editDistance(std::string_view left, std::string_view right)
{
    std::vector<std::size_t> row(right.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < left.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < right.size(); ++j) {
            const std::size_t replaced = diagonal + (left[i] == right[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

} // namespace

void print(std::string_view text)
{
    if (!writeAll(STDOUT_FILENO, text)) {
        // SIGPIPE's own status for a closed pipe; a full disk is worth a word.
        if (errno == EPIPE) {
            ::_exit(128 + 13);
        }
        complain("write to standard output: " + toString(Error::fromErrno("write")));
        ::_exit(kFailed);
    }
}

void printToErrors(std::string_view text)
{
    static_cast<void>(writeAll(STDERR_FILENO, text));
}

void complain(std::string_view text)
{
    printToErrors("revet: " + std::string(text) + '\n');
}

int report(const Error& error)
{
    complain(errorLine(error));
    return exitCodeFor(error.code);
}

int exitCodeFor(ErrorCode code)
{
    switch (code) {
    case ErrorCode::InvalidArgument:
        return kUsage;
    case ErrorCode::NotFound:
        return kNoSuchThing;
    case ErrorCode::Unavailable:
        return kTierUnavailable;
    case ErrorCode::Refused:
        return kRefused;
    case ErrorCode::Conflict:
        return kConflict;
    case ErrorCode::System:
    case ErrorCode::Malformed:
    case ErrorCode::LimitExceeded:
    case ErrorCode::Closed:
    case ErrorCode::TimedOut:
        return kFailed;
    }
    return kFailed;
}

std::string closestWord(std::string_view word, const std::vector<std::string>& candidates)
{
    std::string closest;
    // A third of the word may be wrong: more is another word.
    std::size_t best = std::max<std::size_t>(word.size() / 3, 1) + 1;
    for (const std::string& candidate : candidates) {
        // Letters in another order ("rnu") are the commonest slip, and count as one.
        const bool isAnagram = word.size() == candidate.size()
            && std::is_permutation(word.begin(), word.end(), candidate.begin());
        const std::size_t distance = isAnagram ? 1 : editDistance(word, candidate);
        if (distance < best) {
            best = distance;
            closest = candidate;
        }
    }
    return closest;
}

} // namespace revet::cli
