// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/egress/syn_tap.h"

#include "engine/launcher/gateway.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <sys/mman.h>
#include <sys/socket.h>

namespace revet::egress {

namespace {

constexpr std::size_t kRingBytes = std::size_t{launcher::kTapFrames} * launcher::kTapFrameBytes;

} // namespace

Result<SynTap> SynTap::open(UniqueFd tap, UniqueFd injector)
{
    void* const ring = ::mmap(nullptr, kRingBytes, PROT_READ | PROT_WRITE, MAP_SHARED, tap.get(), 0);
    if (ring == MAP_FAILED) {
        return failErrno("map the gateway's ring");
    }
    return SynTap(std::move(tap), std::move(injector), static_cast<char*>(ring));
}

SynTap::SynTap(UniqueFd tap, UniqueFd injector, char* ring)
    : m_tap(std::move(tap))
    , m_injector(std::move(injector))
    , m_ring(ring)
{
}

SynTap::SynTap(SynTap&& other) noexcept
    : m_tap(std::move(other.m_tap))
    , m_injector(std::move(other.m_injector))
    , m_ring(std::exchange(other.m_ring, nullptr))
    , m_next(other.m_next)
{
}

SynTap::~SynTap()
{
    if (m_ring != nullptr) {
        ::munmap(m_ring, kRingBytes);
    }
}

void SynTap::read(std::size_t most, const std::function<void(std::string_view packet)>& take)
{
    for (std::size_t taken = 0; taken < most; ++taken) {
        char* const frame = m_ring + m_next * launcher::kTapFrameBytes;
        auto* const header = reinterpret_cast<tpacket2_hdr*>(frame); // as the kernel lays it out
        const std::atomic_ref<std::uint32_t> status(header->tp_status);
        if ((status.load(std::memory_order_acquire) & TP_STATUS_USER) == 0) {
            return;
        }
        // The kernel wrote the numbers, and nobody else can; a wrong one would read past the ring all the
        // same.
        const std::size_t start = std::min<std::size_t>(header->tp_net, launcher::kTapFrameBytes);
        take({frame + start, std::min<std::size_t>(header->tp_snaplen, launcher::kTapFrameBytes - start)});
        status.store(TP_STATUS_KERNEL, std::memory_order_release);
        m_next = (m_next + 1) % launcher::kTapFrames;
    }
}

void SynTap::letThrough(std::string_view packet) const
{
    send(packet, launcher::kGatewayLoopback, 0);
}

void SynTap::answer(std::string_view packet) const
{
    send(packet, launcher::kGatewayVeth, launcher::kBoxHardware.back());
}

void SynTap::send(std::string_view packet, int interface, unsigned char lastHardwareByte) const
{
    const bool isV6 = !packet.empty() && static_cast<unsigned char>(packet.front()) >> 4U == 6;
    sockaddr_ll to{};
    to.sll_family = AF_PACKET;
    to.sll_protocol = htons(isV6 ? ETH_P_IPV6 : ETH_P_IP);
    to.sll_ifindex = interface;
    to.sll_halen = ETH_ALEN;
    to.sll_addr[0] = lastHardwareByte == 0 ? 0 : static_cast<unsigned char>(launcher::kBoxHardware.front());
    to.sll_addr[ETH_ALEN - 1] = lastHardwareByte;
    // The sockets interface asks for this cast.
    static_cast<void>(::sendto(m_injector.get(), packet.data(), packet.size(), MSG_DONTWAIT,
                               reinterpret_cast<const sockaddr*>(&to), sizeof to)
                      >= 0);
}

} // namespace revet::egress
