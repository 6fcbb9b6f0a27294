// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/egress/http_requests.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace revet::egress {

namespace {

constexpr std::string_view kSpaces = " \t\v\f\r"; ///< what some server or other parts the words of a line by
constexpr std::string_view kSwitching = "HTTP/1.1 101 ";

auto malformed(const char* why)
{
    return fail(ErrorCode::Malformed, "read an HTTP request", why);
}

char lowered(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : byte;
}

bool isToken(char byte)
{
    constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
    const char low = lowered(byte);
    return (low >= 'a' && low <= 'z') || (byte >= '0' && byte <= '9')
        || kMarks.find(byte) != std::string_view::npos;
}

bool isVisible(char byte)
{
    return byte > ' ' && byte < 0x7f;
}

std::string_view trimmed(std::string_view text)
{
    const std::size_t start = std::min(text.find_first_not_of(" \t"), text.size());
    text.remove_prefix(start);
    return text.substr(0, text.find_last_not_of(" \t") + 1); // npos + 1 is 0
}

/// All of `text` and nothing but digits.
std::optional<std::uint64_t> wholeNumber(std::string_view text, int base)
{
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, number, base);
    return !text.empty() && stopped == end && error == std::errc() ? std::optional(number) : std::nullopt;
}

/// What lies between "http://" and the path; none where the target names no host.
std::optional<std::string> authorityOf(std::string_view target)
{
    const std::size_t scheme = target.find("://");
    if (target.starts_with('/') || target == "*" || scheme == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view rest = target.substr(scheme + 3);
    return std::string(rest.substr(0, rest.find_first_of("/?#")));
}

/// The fields that say to whom a request goes and where it ends.
struct Fields
{
    std::optional<std::string> host;
    std::optional<std::uint64_t> length;
    bool isChunked = false;
    bool isUpgrade = false;
};

Result<void> readField(std::string_view line, Fields& fields)
{
    const std::size_t colon = std::min(line.find(':'), line.size());
    std::string name(line.substr(0, colon));
    // A space before the colon, or a line that goes on: receivers differ in what they make of it.
    if (colon == line.size() || name.empty() || !std::ranges::all_of(name, isToken)) {
        return malformed("a field has no proper name");
    }
    std::ranges::transform(name, name.begin(), lowered);
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (name == "host") {
        if (fields.host) {
            return malformed("it names two hosts");
        }
        fields.host = value;
    } else if (name == "content-length") {
        const auto length = wholeNumber(value, 10);
        if (!length || fields.length) {
            return malformed("its length is no number, or is there twice");
        }
        fields.length = length;
    } else if (name == "transfer-encoding") {
        std::string coding(value);
        std::ranges::transform(coding, coding.begin(), lowered);
        if (coding != "chunked" || fields.isChunked) {
            return malformed("its transfer coding is not 'chunked'");
        }
        fields.isChunked = true;
    } else if (name == "upgrade") {
        std::string protocols(value);
        std::ranges::transform(protocols, protocols.begin(), lowered);
        // HTTP/2 names hosts again, each time.
        fields.isUpgrade = protocols.find("h2c") == std::string::npos;
    }
    return {};
}

} // namespace

std::optional<bool> looksLikeHttp(std::string_view first)
{
    const auto isStrange = [](char byte) {
        const auto value = static_cast<unsigned char>(byte);
        return (value < ' ' && kSpaces.find(byte) == std::string_view::npos) || value == 0x7f;
    };
    first.remove_prefix(std::min(first.find_first_not_of("\n \t\v\f\r"), first.size()));
    const std::size_t end = first.find('\n');
    const std::string_view line = first.substr(0, end);
    const std::string_view method = line.substr(0, line.find_first_of(kSpaces));
    if (!std::ranges::all_of(method, isToken) || std::ranges::any_of(line, isStrange)) {
        return false;
    }
    // Other protocols begin with a word as well ("EHLO example.org").
    return end == std::string_view::npos ? std::nullopt
                                         : std::optional(line.find("HTTP/") != std::string_view::npos);
}

Result<bool> HttpRequests::takeLine(std::string_view& bytes)
{
    const std::size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    m_headBytes += part.size() + 1;
    if (m_headBytes > kMaximumHead) {
        return malformed("its head is too long");
    }
    m_line += part;
    if (end == std::string_view::npos) {
        bytes = {};
        return false;
    }
    bytes.remove_prefix(end + 1);
    if (!m_line.ends_with('\r')) {
        return malformed("a line ends without CR");
    }
    m_line.pop_back();
    const auto isBreaking = [](char byte) { return byte == '\r' || byte == '\0'; };
    if (std::ranges::any_of(m_line, isBreaking)) {
        return malformed("a line has CR or NUL in it");
    }
    return true;
}

Result<HttpRequest> HttpRequests::readHead()
{
    const std::string_view line = m_head.front();
    const std::size_t first = std::min(line.find(' '), line.size());
    const std::size_t last = line.rfind(' ');
    const std::string_view method = line.substr(0, first);
    if (method.empty() || !std::ranges::all_of(method, isToken) || last == std::string_view::npos
        || last <= first) {
        return malformed("its first line is not METHOD TARGET VERSION");
    }
    const std::string_view target = line.substr(first + 1, last - first - 1);
    const std::string_view version = line.substr(last + 1);
    if ((version != "HTTP/1.1" && version != "HTTP/1.0") || target.empty()
        || !std::ranges::all_of(target, isVisible)) {
        return malformed("its version is neither HTTP/1.1 nor HTTP/1.0, or its target is none");
    }
    if (method == "CONNECT") {
        return malformed("a tunnel would go to anyone");
    }
    Fields fields;
    for (std::size_t i = 1; i < m_head.size(); ++i) {
        REVET_RETURN_IF_ERROR(readField(m_head[i], fields));
    }
    if (fields.length && fields.isChunked) {
        return malformed("it has a length and chunks");
    }
    if (fields.isChunked && version == "HTTP/1.0") {
        return malformed("HTTP/1.0 knows no chunks");
    }
    if (!fields.host && version == "HTTP/1.1") {
        return malformed("it names no host");
    }
    const auto authority = authorityOf(target);
    if (authority && fields.host && *authority != *fields.host) {
        return malformed("its target and its host differ");
    }
    m_left = fields.length.value_or(0);
    m_state = fields.isChunked ? State::ChunkSize : m_left > 0 ? State::Body : State::Head;
    // Of a later one the answer could not be told from those to the requests before it.
    const bool isFirst = std::exchange(m_isFirst, false);
    m_wantsUpgrade = fields.isUpgrade && isFirst;
    HttpRequest request{std::string(method), authority ? *authority : fields.host.value_or("")};
    m_head.clear();
    m_headBytes = 0;
    return request;
}

Result<void> HttpRequests::startChunk(std::string_view line)
{
    const auto size = wholeNumber(trimmed(line.substr(0, line.find(';'))), 16);
    if (!size) {
        return malformed("the size of a chunk is no number");
    }
    m_left = *size;
    m_state = m_left > 0 ? State::Chunk : State::Trailer;
    m_headBytes = 0;
    return {};
}

Result<void> HttpRequests::endLine(std::vector<HttpRequest>& requests)
{
    const std::string line = std::exchange(m_line, {});
    switch (m_state) {
    case State::Head:
        if (!line.empty()) {
            m_head.push_back(line);
        } else if (!m_head.empty()) { // empty lines before a request do not count
            REVET_ASSIGN_OR_RETURN(HttpRequest request, readHead());
            requests.push_back(std::move(request));
        }
        return {};
    case State::ChunkSize:
        return startChunk(line);
    case State::ChunkEnd:
        m_state = State::ChunkSize;
        m_headBytes = 0;
        return line.empty() ? Result<void>() : malformed("a chunk is longer than it said");
    case State::Trailer:
        if (line.empty()) {
            m_state = State::Head;
            m_headBytes = 0;
        }
        return {};
    case State::Body:
    case State::Chunk:
    case State::Opaque:
        break;
    }
    return malformed("a line is where none can be");
}

void HttpRequests::answered(std::string_view bytes)
{
    if (!m_isFirst && !m_wantsUpgrade) {
        return;
    }
    m_answer += bytes.substr(0, kSwitching.size() - std::min(kSwitching.size(), m_answer.size()));
    if (m_wantsUpgrade && (m_answer == kSwitching || !kSwitching.starts_with(m_answer))) {
        m_state = m_answer == kSwitching ? State::Opaque : m_state;
        m_wantsUpgrade = false;
    }
}

Result<std::vector<HttpRequest>> HttpRequests::read(std::string_view bytes)
{
    std::vector<HttpRequest> requests;
    while (!bytes.empty() && m_state != State::Opaque) {
        if (m_wantsUpgrade && m_state == State::Head) {
            return malformed("it goes on before its wish for another protocol is answered");
        }
        if (m_state != State::Body && m_state != State::Chunk) {
            REVET_ASSIGN_OR_RETURN(const bool isWhole, takeLine(bytes));
            if (isWhole) {
                REVET_RETURN_IF_ERROR(endLine(requests));
            }
            continue;
        }
        const auto taken = std::min<std::uint64_t>(m_left, bytes.size());
        bytes.remove_prefix(static_cast<std::size_t>(taken));
        m_left -= taken;
        if (m_left == 0) {
            m_state = m_state == State::Body ? State::Head : State::ChunkEnd;
        }
    }
    return requests;
}

} // namespace revet::egress
