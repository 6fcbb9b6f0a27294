// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/egress/client_hello.h"

#include <cstdint>

namespace revet::egress {

namespace {

constexpr unsigned kHandshake = 22;
constexpr unsigned kMajorVersion = 3;
constexpr unsigned kClientHello = 1;
constexpr unsigned kServerNameExtension = 0;
constexpr unsigned kEncryptedHelloExtension = 0xfe0d;
constexpr unsigned kHostNameType = 0;
constexpr std::size_t kRecordHeader = 5;
constexpr std::size_t kMessageHeader = 4;
constexpr std::size_t kMaximumRecord = std::size_t{1} << 14U;
/// Of a hello; clients need one or two. All of them are read anew with each segment.
constexpr std::size_t kMaximumRecords = 64;
constexpr std::size_t kVersionAndRandom = 2 + 32;

/// Cuts vectors with a length in front off the bytes. What is missing makes it fail, for good.
class Cutter
{
public:
    explicit Cutter(std::string_view bytes)
        : m_rest(bytes)
    {
    }
    [[nodiscard]] bool isEmpty() const { return m_rest.empty(); }
    [[nodiscard]] bool failed() const { return m_failed; }

    std::string_view take(std::size_t size)
    {
        if (m_failed || m_rest.size() < size) {
            m_failed = true;
            return {};
        }
        const std::string_view taken = m_rest.substr(0, size);
        m_rest.remove_prefix(size);
        return taken;
    }
    unsigned number(std::size_t bytes)
    {
        unsigned value = 0;
        for (const char byte : take(bytes)) {
            value = value << 8U | static_cast<unsigned char>(byte);
        }
        return value;
    }
    std::string_view vector(std::size_t lengthBytes) { return take(number(lengthBytes)); }

private:
    std::string_view m_rest;
    bool m_failed = false;
};

/// The handshake bytes out of the records, as far as they have come.
struct Handshake
{
    std::string bytes;
    bool isMalformed = false;
};

Handshake unpack(std::string_view sent)
{
    Handshake handshake;
    for (std::size_t records = 1; !sent.empty(); ++records) {
        Cutter header(sent.substr(0, kRecordHeader));
        const unsigned type = header.number(1);
        const unsigned major = sent.size() > 1 ? header.number(1) : kMajorVersion;
        if (type != kHandshake || major != kMajorVersion || records > kMaximumRecords) {
            handshake.isMalformed = true;
            return handshake;
        }
        if (sent.size() < kRecordHeader) {
            return handshake;
        }
        header.take(1);
        const std::size_t length = header.number(2);
        if (length == 0 || length > kMaximumRecord) {
            handshake.isMalformed = true;
            return handshake;
        }
        handshake.bytes += sent.substr(kRecordHeader, length);
        sent.remove_prefix(std::min(sent.size(), kRecordHeader + length));
        // What follows the hello (early data) is none of ours.
        if (handshake.bytes.size() >= kMessageHeader) {
            Cutter message(std::string_view(handshake.bytes).substr(1));
            if (handshake.bytes.size() - kMessageHeader >= message.number(3)) {
                return handshake;
            }
        }
    }
    return handshake;
}

/// The name in a server_name extension (RFC 6066): one, of type host_name.
std::optional<std::string> hostIn(std::string_view extension)
{
    Cutter outer(extension);
    Cutter list(outer.vector(2));
    const bool isHost = list.number(1) == kHostNameType;
    const std::string_view name = list.vector(2);
    const bool isWhole = !outer.failed() && outer.isEmpty() && !list.failed() && list.isEmpty();
    if (!isWhole || !isHost || name.empty() || name.find('\0') != std::string_view::npos) {
        return std::nullopt;
    }
    return std::string(name);
}

/// Fills in what the extensions say; false where they are broken.
bool readExtensions(std::string_view bytes, ClientHello& hello)
{
    Cutter extensions(bytes);
    while (!extensions.isEmpty() && !extensions.failed()) {
        const unsigned type = extensions.number(2);
        const std::string_view content = extensions.vector(2);
        if (extensions.failed()) {
            return false;
        }
        if (type == kServerNameExtension) {
            // Twice: servers differ in which they take, so neither can be judged.
            if (hello.serverName || !(hello.serverName = hostIn(content))) {
                return false;
            }
        }
        hello.hasEncryptedHello = hello.hasEncryptedHello || type == kEncryptedHelloExtension;
    }
    return !extensions.failed();
}

} // namespace

ClientHello readClientHello(std::string_view sent)
{
    ClientHello hello;
    if (sent.empty()) {
        return hello;
    }
    if (static_cast<unsigned char>(sent.front()) != kHandshake) {
        hello.state = HelloState::NotTls;
        return hello;
    }
    const auto malformed = [] {
        ClientHello broken;
        broken.state = HelloState::Malformed;
        return broken;
    };
    const Handshake handshake = unpack(sent);
    if (handshake.isMalformed
        || (!handshake.bytes.empty() && handshake.bytes.front() != char{kClientHello})) {
        return malformed();
    }
    if (handshake.bytes.size() < kMessageHeader) {
        return sent.size() > kMaximumHello ? malformed() : hello;
    }
    Cutter message(handshake.bytes);
    message.take(1);
    const std::size_t length = message.number(3);
    if (length > kMaximumHello) {
        return malformed();
    }
    if (handshake.bytes.size() - kMessageHeader < length) {
        return sent.size() > 2 * kMaximumHello ? malformed() : hello; // records of a byte each
    }
    Cutter body(message.take(length));
    body.take(kVersionAndRandom);
    body.vector(1); // session id
    body.vector(2); // cipher suites
    body.vector(1); // compression methods
    const std::string_view extensions = body.isEmpty() ? std::string_view() : body.vector(2);
    if (body.failed() || !body.isEmpty() || !readExtensions(extensions, hello)) {
        return malformed();
    }
    hello.state = HelloState::Complete;
    return hello;
}

} // namespace revet::egress
