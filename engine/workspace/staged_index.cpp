// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/staged_index.h"

#include "engine/workspace/entry.h"
#include "engine/workspace/file_content.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <optional>

#include <sodium.h>
#include <unistd.h>

namespace revet::workspace {

namespace {

constexpr std::size_t kTimesToInode = 24; ///< two times, device, inode
constexpr std::size_t kOwnerToSize = 12; ///< uid, gid, size
constexpr std::array<std::size_t, 2> kIdSizes{20, 32}; ///< SHA-1, SHA-256: the file does not say which
constexpr std::string_view kMark = "DIRC";
/// A name of version 4 may cost a byte and be as long as all before it.
constexpr std::size_t kMostNameBytes = std::size_t{256} << 20U;
constexpr unsigned kIsExtended = 0x4000;
constexpr unsigned kNameLength = 0x0fff;

/// Big-endian numbers and pieces of a file; one that goes past the end spoils it.
class Pieces
{
public:
    explicit Pieces(std::string_view bytes)
        : m_all(bytes)
    {
    }
    [[nodiscard]] bool isSpoilt() const { return m_isSpoilt; }
    [[nodiscard]] std::size_t at() const { return m_at; }
    [[nodiscard]] std::size_t left() const { return m_all.size() - m_at; }
    std::string_view take(std::size_t count)
    {
        m_isSpoilt = m_isSpoilt || count > left();
        if (m_isSpoilt) {
            return {};
        }
        m_at += count;
        return m_all.substr(m_at - count, count);
    }
    std::uint32_t number(std::size_t bytes)
    {
        std::uint32_t value = 0;
        for (const char byte : take(bytes)) {
            value = value << 8U | static_cast<unsigned char>(byte);
        }
        return value;
    }
    /// Without the NUL that ends it.
    std::string_view text()
    {
        const std::size_t length = m_all.substr(m_at).find('\0');
        const std::string_view found = take(length == std::string_view::npos ? m_all.size() : length);
        take(1);
        return found;
    }

private:
    std::string_view m_all;
    std::size_t m_at = 0;
    bool m_isSpoilt = false;
};

/// As many bytes of the last name as git's variable-length number says are cut off (version 4).
std::size_t cutLength(Pieces& pieces)
{
    std::uint32_t byte = pieces.number(1);
    std::size_t value = byte & 0x7fU;
    while ((byte & 0x80U) != 0 && !pieces.isSpoilt() && value < UINT32_MAX) {
        byte = pieces.number(1);
        value = ((value + 1) << 7U) | (byte & 0x7fU);
    }
    return value;
}

class Index
{
public:
    Index(std::string_view bytes, std::size_t idSize)
        : m_pieces(bytes)
        , m_idSize(idSize)
    {
        crypto_generichash_init(&m_hash, nullptr, 0, crypto_generichash_BYTES);
    }

    /// The same for indexes that stage the same.
    std::optional<std::string> staged()
    {
        if (m_pieces.take(kMark.size()) != kMark) {
            return std::nullopt;
        }
        m_version = m_pieces.number(4);
        const std::uint32_t count = m_pieces.number(4);
        if (m_version < 2 || m_version > 4) {
            return std::nullopt;
        }
        for (std::uint32_t i = 0; i < count; ++i) {
            if (!addEntry()) {
                return std::nullopt;
            }
        }
        if (!standsAlone()) {
            return std::nullopt;
        }
        std::string digest(crypto_generichash_BYTES, '\0');
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): libsodium gives unsigned bytes
        crypto_generichash_final(&m_hash, reinterpret_cast<unsigned char*>(digest.data()), digest.size());
        return digest;
    }

private:
    void add(std::string_view bytes)
    {
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): libsodium takes unsigned bytes
        const auto* const first = reinterpret_cast<const unsigned char*>(bytes.data());
        crypto_generichash_update(&m_hash, first, bytes.size());
    }
    bool addEntry()
    {
        const std::size_t start = m_pieces.at();
        m_pieces.take(kTimesToInode);
        add(m_pieces.take(4)); // mode
        m_pieces.take(kOwnerToSize);
        add(m_pieces.take(m_idSize));
        const std::uint32_t flags = m_pieces.number(2);
        const bool isExtended = (flags & kIsExtended) != 0;
        const std::uint32_t more = isExtended ? m_pieces.number(2) : 0;
        for (const std::uint32_t part : {(flags & ~kNameLength) >> 8U, more >> 8U, more & 0xffU}) {
            const auto byte = static_cast<char>(part);
            add({&byte, 1});
        }
        if (m_version == 4) {
            const std::size_t cut = cutLength(m_pieces);
            if (cut > m_name.size()) {
                return false;
            }
            m_name.resize(m_name.size() - cut);
            m_name += m_pieces.text();
        } else {
            m_name = m_pieces.text();
            while ((m_pieces.at() - start) % 8 != 0 && !m_pieces.isSpoilt()) {
                m_pieces.take(1);
            }
        }
        m_nameBytes += m_name.size();
        add(m_name);
        add({"\0", 1});
        const bool hasLength = (flags & kNameLength) == std::min<std::size_t>(m_name.size(), kNameLength);
        return hasLength && m_nameBytes <= kMostNameBytes && !m_pieces.isSpoilt()
            && (!isExtended || m_version > 2);
    }

    /// What comes after the entries is caches, but for extensions with small letters: without them an index
    /// is not understood, such as one that is only the difference to another.
    bool standsAlone()
    {
        while (m_pieces.left() > m_idSize) {
            const std::string_view name = m_pieces.take(4);
            m_pieces.take(m_pieces.number(4));
            if (m_pieces.isSpoilt() || std::isupper(static_cast<unsigned char>(name.front())) == 0) {
                return false;
            }
        }
        return m_pieces.left() == m_idSize && !m_pieces.isSpoilt();
    }

    Pieces m_pieces;
    std::size_t m_idSize;
    std::uint32_t m_version = 0;
    std::string m_name;
    std::size_t m_nameBytes = 0; ///< of all
    crypto_generichash_state m_hash = {};
};

} // namespace

std::string stagedBy(std::string_view bytes)
{
    for (const std::size_t idSize : kIdSizes) {
        if (auto staged = Index(bytes, idSize).staged()) {
            return *std::move(staged);
        }
    }
    return {};
}

std::string stagedAt(int root, const std::string& path)
{
    constexpr std::size_t kLargest = 64U << 20U;
    if (!path.ends_with("/index")) {
        return {};
    }
    const Result<UniqueFd> file = openFile(root, path);
    std::array<char, kMark.size()> begin = {};
    if (!file || ::pread(file->get(), begin.data(), begin.size(), 0) != ssize_t{begin.size()}
        || std::string_view(begin.data(), begin.size()) != kMark) {
        return {};
    }
    const Result<std::string> bytes = readContent(*file, kLargest);
    return bytes ? stagedBy(*bytes) : std::string();
}

} // namespace revet::workspace
