// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/domain/ids.h"

#include "engine/base/assert.h"

#include <unistd.h>

namespace revet {

namespace {

constexpr std::string_view kAlphabet = "abcdefghjkmnpqrstuvwxyz23456789";
constexpr std::size_t kLength = 6;
static_assert(kAlphabet.size() <= 32);

} // namespace

SessionId SessionId::generate()
{
    SessionId id;
    while (id.m_text.size() < kLength) {
        unsigned char random = 0;
        REVET_ASSERT(::getentropy(&random, sizeof random) == 0);
        if (const std::size_t place = random % 32U; place < kAlphabet.size()) { // each as likely as another
            id.m_text.push_back(kAlphabet[place]);
        }
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
