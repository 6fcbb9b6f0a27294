// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/domain/ids.h"

#include <random>

namespace revet {

namespace {

constexpr std::string_view kAlphabet = "abcdefghjkmnpqrstuvwxyz23456789";
constexpr std::size_t kLength = 6;

} // namespace

SessionId SessionId::generate()
{
    std::random_device entropy;
    std::uniform_int_distribution<std::size_t> pick(0, kAlphabet.size() - 1);
    SessionId id;
    for (std::size_t i = 0; i < kLength; ++i) {
        id.m_text.push_back(kAlphabet[pick(entropy)]);
    }
    return id;
}

Result<SessionId> SessionId::parse(std::string_view text)
{
    if (text.size() != kLength || text.find_first_not_of(kAlphabet) != std::string_view::npos) {
        return fail(ErrorCode::InvalidArgument, "read a session id");
    }
    SessionId id;
    id.m_text = text;
    return id;
}

} // namespace revet
