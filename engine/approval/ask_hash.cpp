// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/approval/ask_hash.h"

#include <array>

#include <sodium/crypto_hash_sha256.h>
#include <sodium/utils.h>

namespace revet::approval {

namespace {

constexpr std::uint64_t kVersion = 2;

/// Each field with its length in front: no two asks give the same bytes.
class Fields
{
public:
    Fields() { crypto_hash_sha256_init(&m_state); }
    void add(std::string_view text)
    {
        addNumber(text.size());
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): libsodium takes unsigned bytes
        crypto_hash_sha256_update(&m_state, reinterpret_cast<const unsigned char*>(text.data()), text.size());
    }
    void addNumber(std::uint64_t number)
    {
        std::array<unsigned char, 8> bytes{};
        for (unsigned char& byte : bytes) {
            byte = static_cast<unsigned char>(number & 0xffU);
            number >>= 8U;
        }
        crypto_hash_sha256_update(&m_state, bytes.data(), bytes.size());
    }
    std::string hex()
    {
        std::array<unsigned char, crypto_hash_sha256_BYTES> hash{};
        crypto_hash_sha256_final(&m_state, hash.data());
        std::string text(2 * hash.size() + 1, '\0');
        sodium_bin2hex(text.data(), text.size(), hash.data(), hash.size());
        text.pop_back();
        return text;
    }

private:
    crypto_hash_sha256_state m_state{};
};

} // namespace

std::string hashOf(const Ask& ask)
{
    Fields fields;
    fields.addNumber(kVersion);
    fields.add(ask.id.text());
    fields.addNumber(static_cast<std::uint64_t>(ask.kind));
    fields.add(ask.project);
    fields.add(toString(ask.tier));
    fields.add(ask.target);
    fields.addNumber(ask.chain.size());
    for (const AskProcess& process : ask.chain) {
        fields.addNumber(static_cast<std::uint64_t>(process.pid));
        fields.addNumber(process.startTicks);
        fields.add(process.exe);
        fields.addNumber(process.argv.size());
        for (const std::string& argument : process.argv) {
            fields.add(argument);
        }
    }
    fields.add(ask.cwd);
    fields.add(ask.why);
    fields.add(ask.claim);
    fields.addNumber(static_cast<std::uint64_t>(ask.lane));
    fields.addNumber(static_cast<std::uint64_t>(ask.from));
    fields.addNumber(static_cast<std::uint64_t>(ask.to));
    fields.addNumber(ask.scopes.size());
    for (const GrantScope scope : ask.scopes) {
        fields.addNumber(static_cast<std::uint64_t>(scope));
    }
    fields.addNumber(static_cast<std::uint64_t>(ask.created.time_since_epoch().count()));
    return fields.hex();
}

std::string chainOf(const std::vector<AskProcess>& chain)
{
    std::string text;
    for (const AskProcess& process : chain) {
        text += (text.empty() ? "" : " > ") + process.exe;
    }
    return text;
}

} // namespace revet::approval
