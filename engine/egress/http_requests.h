// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace revet::egress {

/// What is judged of a request: to whom it says it goes.
struct HttpRequest
{
    std::string method;
    std::string authority; ///< of the target where that names one, else of the Host field; "" in HTTP/1.0
};

/// Whether the bytes that a client sent first begin a request of HTTP/1; none: that cannot be said yet. What
/// some server may take for one is one.
[[nodiscard]] std::optional<bool> looksLikeHttp(std::string_view first);

/// Follows the requests on one connection (RFC 9112), which may go to other hosts than the first one did.
/// Strict where receivers differ, since what is judged must be what the server reads: two Hosts, a length
/// twice or beside chunks, folded lines and bare line feeds are Malformed, and so is HTTP/2 in plain text.
/// The first request may ask for another protocol (Upgrade); then nothing follows it before the server has
/// answered. Not thread-safe.
class HttpRequests
{
public:
    static constexpr std::size_t kMaximumHead = std::size_t{16} * 1024;

    /// What the client sent next; gives the requests whose head ended in it. After an error the connection
    /// has to end.
    [[nodiscard]] Result<std::vector<HttpRequest>> read(std::string_view bytes);
    /// What the server sent next.
    void answered(std::string_view bytes);
    /// Both sides now speak another protocol: what follows is not looked at.
    [[nodiscard]] bool isOpaque() const { return m_state == State::Opaque; }

private:
    enum class State : std::uint8_t { Head, Body, ChunkSize, Chunk, ChunkEnd, Trailer, Opaque };

    [[nodiscard]] Result<HttpRequest> readHead();
    /// Takes a line without its CR LF off `bytes` into m_line; false where it has not ended yet.
    [[nodiscard]] Result<bool> takeLine(std::string_view& bytes);
    /// m_line has ended.
    [[nodiscard]] Result<void> endLine(std::vector<HttpRequest>& requests);
    [[nodiscard]] Result<void> startChunk(std::string_view line);

    State m_state = State::Head;
    std::string m_line;
    std::vector<std::string> m_head; ///< lines of the one that is being read
    std::size_t m_headBytes = 0;
    std::uint64_t m_left = 0; ///< of the body, or of its chunk
    bool m_isFirst = true; ///< no request has been read yet
    bool m_wantsUpgrade = false; ///< asked for, and not answered yet
    std::string m_answer; ///< how the server's begins
};

} // namespace revet::egress
