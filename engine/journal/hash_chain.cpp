// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/journal/hash_chain.h"

#include "engine/base/assert.h"

#include <sodium.h>

namespace revet::journal {

namespace {

const unsigned char* unsignedBytes(std::string_view bytes)
{
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): libsodium takes unsigned bytes
    return reinterpret_cast<const unsigned char*>(bytes.data());
}

} // namespace

void BatchDigest::Rows::numbers(std::span<const std::int64_t> values)
{
    std::array<char, 10> encoded = {};
    for (const std::int64_t value : values) {
        auto rest = (static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63);
        std::size_t size = 0;
        while (rest >= 0x80U) {
            encoded.at(size++) = static_cast<char>((rest & 0x7fU) | 0x80U);
            rest >>= 7U;
        }
        encoded.at(size++) = static_cast<char>(rest);
        m_bytes.append(encoded.data(), size);
    }
}

void BatchDigest::Rows::string(std::string_view bytes)
{
    numbers(std::array{static_cast<std::int64_t>(bytes.size())});
    m_bytes.append(bytes);
}

void BatchDigest::text(std::int64_t id, std::string_view bytes)
{
    m_texts.numbers(std::array{id});
    m_texts.string(bytes);
}

void BatchDigest::command(std::int64_t id, std::string_view arguments)
{
    m_commands.numbers(std::array{id});
    m_commands.string(arguments);
}

void BatchDigest::info(std::int64_t id, std::string_view name, std::string_view value)
{
    m_infos.numbers(std::array{id});
    m_infos.string(name);
    m_infos.string(value);
}

void BatchDigest::process(const ProcessRow& row)
{
    m_processes.numbers(row.values());
}

void BatchDigest::event(const EventRow& row)
{
    m_events.numbers(row.values());
}

ChainHash BatchDigest::finish(const ChainHash& previous, const ChainLink& link)
{
    // Chooses the fastest code for this processor; once is enough.
    static const bool ready = sodium_init() >= 0;
    REVET_ASSERT(ready);
    crypto_generichash_state state;
    ChainHash hash = {};
    crypto_generichash_init(&state, nullptr, 0, hash.size());
    crypto_generichash_update(&state, previous.data(), previous.size());
    Rows ends;
    ends.numbers(link.values());
    crypto_generichash_update(&state, unsignedBytes(ends.bytes()), ends.bytes().size());
    for (Rows* rows : {&m_texts, &m_commands, &m_infos, &m_processes, &m_events}) {
        crypto_generichash_update(&state, unsignedBytes(rows->bytes()), rows->bytes().size());
        rows->clear();
    }
    crypto_generichash_final(&state, hash.data(), hash.size());
    return hash;
}

std::string_view asBytes(const ChainHash& hash)
{
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): libsodium gives unsigned bytes
    return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

std::string toHex(const ChainHash& hash)
{
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (const unsigned char byte : hash) {
        text.push_back(kDigits[byte >> 4U]);
        text.push_back(kDigits[byte & 0xfU]);
    }
    return text;
}

} // namespace revet::journal
