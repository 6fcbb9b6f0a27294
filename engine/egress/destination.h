// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/policy/host_name.h"
#include "engine/policy/ip_address.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace revet::egress {

/// Where a client in the box wants to connect to, by the packet that it sent.
struct Destination
{
    policy::IpAddress address; ///< the box's own for `name`, where there is one
    std::uint16_t port = 0;
    std::optional<policy::HostName> name = std::nullopt;

    /// "example.org:443", "192.0.2.1:22", "[2001:db8::1]:22".
    [[nodiscard]] std::string text() const;
    /// What text() says; 443 where there is no port. Of a name the address is none.
    [[nodiscard]] static Result<Destination> parse(std::string_view text);
    /// Whether no box ever reaches it, whatever anybody says.
    [[nodiscard]] bool isNeverReached() const;
};

struct Decision
{
    bool isPermitted = false;
    std::string rule; ///< which, or why none
    bool mayAsk = false; ///< not permitted, but a person may
};

/// What may be reached: policy, of which the way there knows nothing. Called on Egress's thread; thread-safe,
/// as others may ask too; must not block.
class Decider
{
public:
    Decider() = default;
    Decider(const Decider&) = delete;
    Decider& operator=(const Decider&) = delete;
    Decider(Decider&&) = delete;
    Decider& operator=(Decider&&) = delete;
    virtual ~Decider() = default;

    [[nodiscard]] virtual Decision decide(const Destination& destination) const = 0;
    /// Whether this name may be looked up, which tells it to the machine's resolver and beyond: it is
    /// permitted at some port.
    [[nodiscard]] virtual bool mayLookUp(const policy::HostName& name) const = 0;
};

/// Asks a person about connections that nothing permits. Called on Egress's thread; must not block.
class Asker
{
public:
    Asker() = default;
    Asker(const Asker&) = delete;
    Asker& operator=(const Asker&) = delete;
    Asker(Asker&&) = delete;
    Asker& operator=(Asker&&) = delete;
    virtual ~Asker() = default;

    struct Reply
    {
        enum class Kind : std::uint8_t { Waits, Permitted, Refused };
        Kind kind = Kind::Refused;
        std::string rule; ///< what decided, where something has
    };
    /// What is known by now; Waits: Egress::answer() says it later, by this number of the connection.
    [[nodiscard]] virtual Reply ask(std::uint64_t connection, std::uint64_t socket,
                                    const Destination& destination)
        = 0;
    /// Its client waits no longer.
    virtual void left(std::uint64_t connection) = 0;
};

/// What was said of a connection that waited.
struct ConnectionAnswer
{
    std::uint64_t connection = 0;
    bool isPermitted = false;
    std::string rule;
};

/// What became of a connection.
struct Outcome
{
    enum class Kind : std::uint8_t { Permitted, Refused, Failed };
    Kind kind = Kind::Refused;
    std::string rule; ///< Permitted, Refused: what decided
    int errnoValue = 0; ///< what the client got
    bool mayBePermitted = false; ///< Refused: a person could have said yes, or still can
};

/// Knows who opens connections, and is told what became of them. Called on Egress's thread; must not block
/// for long.
class ConnectionWatch
{
public:
    ConnectionWatch() = default;
    ConnectionWatch(const ConnectionWatch&) = delete;
    ConnectionWatch& operator=(const ConnectionWatch&) = delete;
    ConnectionWatch(ConnectionWatch&&) = delete;
    ConnectionWatch& operator=(ConnectionWatch&&) = delete;
    virtual ~ConnectionWatch() = default;

    /// Whether a process was seen to connect this socket, by its inode. What was not is refused.
    [[nodiscard]] virtual bool expects(std::uint64_t socket) = 0;
    /// Once for each connection, and once more where one that was permitted is broken off.
    virtual void settled(std::uint64_t socket, const Destination& destination, const Outcome& outcome) = 0;
    /// A name is about to be told to the machine's resolver.
    virtual void lookingUp(const policy::HostName& name) = 0;
    /// So many names were asked for that one got no address. Once.
    virtual void namesAreFull() = 0;
};

} // namespace revet::egress
