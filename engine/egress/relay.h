// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/unique_fd.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace revet::egress {

/// Looks at what the client sends, and holds it back until it is known to be in order. One thread.
class Inspector
{
public:
    Inspector() = default;
    Inspector(const Inspector&) = delete;
    Inspector& operator=(const Inspector&) = delete;
    Inspector(Inspector&&) = delete;
    Inspector& operator=(Inspector&&) = delete;
    virtual ~Inspector() = default;

    enum class Opinion : std::uint8_t {
        Undecided, ///< not one byte of it may go on yet
        Fine,
        Broken, ///< the connection has to end
    };
    /// What came next. After the first Fine it is passed on at once unless it is Broken: what needs several
    /// pieces to be understood the other side does not act upon before the last of them.
    [[nodiscard]] virtual Opinion look(std::string_view bytes) = 0;
    /// What the other side sent next; it is passed on whatever it is.
    virtual void answered(std::string_view /*bytes*/) { }
    /// What was Broken, in a few words.
    [[nodiscard]] virtual std::string why() const = 0;
    /// Nothing more needs to be shown.
    [[nodiscard]] virtual bool isDone() const = 0;
};

/// Copies between two connected stream sockets, both non-blocking, which it owns. What one side does not take
/// is not read from the other; an end of file and a reset travel on as such. One thread.
class Relay
{
public:
    static constexpr int kClient = 0;
    static constexpr int kServer = 1;
    /// A turn ends after this, so that a bulk transfer does not keep the others waiting.
    static constexpr std::size_t kTurnBytes = std::size_t{256} * 1024;

    Relay(UniqueFd client, UniqueFd server, std::unique_ptr<Inspector> inspector);

    enum class State : std::uint8_t {
        Open,
        Ended, ///< by both ends of file
        Reset, ///< one side broke off, and so has the other to
        Refused, ///< by the inspector
    };
    /// Copies what there is. After anything but Open close() is all that is left.
    [[nodiscard]] State turn();
    /// What epoll is to wait for on the client's or the server's socket.
    [[nodiscard]] std::uint32_t wanted(int side) const;
    [[nodiscard]] int fd(int side) const { return m_ways.at(static_cast<std::size_t>(side)).from.get(); }
    /// The client has said something, which waits for the inspector's opinion.
    [[nodiscard]] bool isHolding() const { return isUndecided() && !m_ways[kClient].pending.empty(); }
    /// All that this side has said is passed on, its end too.
    [[nodiscard]] bool hasDelivered(int side) const
    {
        return m_ways.at(static_cast<std::size_t>(side)).isShut;
    }
    [[nodiscard]] std::string whyRefused() const { return m_inspector ? m_inspector->why() : ""; }
    /// With a reset, unless it has Ended.
    void close(State state);

private:
    /// One direction: what was read from one side and not yet written to the other.
    struct Way
    {
        UniqueFd from;
        std::string pending = {};
        std::size_t written = 0; ///< of `pending`
        bool isEnded = false; ///< end of file was read
        bool isShut = false; ///< and passed on
        [[nodiscard]] bool isEmpty() const { return written == pending.size(); }
    };
    /// State::Open also where nothing moved.
    [[nodiscard]] State read(int side, std::span<char> buffer, std::size_t& moved);
    [[nodiscard]] State write(int side, std::size_t& moved);
    [[nodiscard]] bool isUndecided() const { return m_inspector != nullptr && !m_hasOpinion; }
    [[nodiscard]] bool isHeld(int side) const { return side == kClient && isUndecided(); }

    std::array<Way, 2> m_ways;
    std::unique_ptr<Inspector> m_inspector; ///< none once it is done
    bool m_hasOpinion = false;
};

/// So that the other side knows that it was broken off.
void closeWithReset(UniqueFd socket);

} // namespace revet::egress
