// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/os/socket.h"

#include "engine/os/uapi.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace revet::os {

namespace {

constexpr std::size_t kMaximumDescriptors = 8;
constexpr std::size_t kSenderSpace = CMSG_SPACE(sizeof(ucred)) + CMSG_SPACE(sizeof(int));

template<typename Value>
Value valueAt(cmsghdr* header, std::size_t index = 0)
{
    Value value{};
    std::memcpy(&value, CMSG_DATA(header) + index * sizeof value, sizeof value);
    return value;
}

/// What came along; descriptors are ours to close.
void take(cmsghdr* header, Packet& packet)
{
    if (header->cmsg_level != SOL_SOCKET) {
        return;
    }
    if (header->cmsg_type == SCM_RIGHTS) {
        const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            packet.descriptors.emplace_back(valueAt<int>(header, i));
        }
    } else if (header->cmsg_type == SCM_CREDENTIALS) {
        packet.sender.pid = valueAt<ucred>(header).pid;
    } else if (header->cmsg_type == SCM_PIDFD) { // of one that has gone it is an error's number
        packet.sender.held = UniqueFd(std::max(valueAt<int>(header), -1));
    }
}

} // namespace

Result<std::pair<UniqueFd, UniqueFd>> packetSocketPair()
{
    std::array<int, 2> ends{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return failErrno("make a socket pair");
    }
    return std::pair{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

Result<void> sendPacket(int socket, std::string_view bytes, std::span<const int> descriptors)
{
    if (descriptors.size() > kMaximumDescriptors) {
        return fail(ErrorCode::InvalidArgument, "send more than eight descriptors");
    }
    // sendmsg() does not write through the pointer, it only lacks the const.
    iovec part{const_cast<char*>(bytes.data()), bytes.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMaximumDescriptors)> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (!descriptors.empty()) {
        message.msg_control = control.data();
        message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
        cmsghdr* header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(descriptors.size_bytes());
        std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size_bytes());
    }
    for (;;) {
        if (::sendmsg(socket, &message, MSG_NOSIGNAL) >= 0) {
            return {};
        }
        if (errno == EPIPE || errno == ECONNRESET) {
            return fail(ErrorCode::Closed, "send a packet");
        }
        if (errno != EINTR) {
            return failErrno("send a packet");
        }
    }
}

Result<void> takeSenders(int socket)
{
    const int on = 1;
    const int off = 0;
    if (::setsockopt(socket, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0) {
        return failErrno("learn who sends");
    }
    for (const auto& [option, value] : {std::pair(SO_PASSPIDFD, &on), std::pair(SO_PASSRIGHTS, &off)}) {
        static_cast<void>(::setsockopt(socket, SOL_SOCKET, option, value, sizeof *value)); // of newer kernels
    }
    return {};
}

Result<Packet> receivePacket(int socket, std::size_t maximumBytes)
{
    Packet packet;
    packet.bytes.resize(maximumBytes);
    iovec part{packet.bytes.data(), packet.bytes.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMaximumDescriptors) + kSenderSpace> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    ssize_t size = -1;
    do {
        size = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    } while (size < 0 && errno == EINTR);
    if (size < 0 && errno != ECONNRESET) {
        return failErrno("receive a packet");
    }
    if (size >= 0) { // also without a byte a packet brings descriptors, which are ours to close
        for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
             header = CMSG_NXTHDR(&message, header)) {
            take(header, packet);
        }
    }
    if (size <= 0) {
        return fail(ErrorCode::Closed, "receive a packet");
    }
    if ((message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0
        || packet.descriptors.size() > kMaximumDescriptors) { // in the room for a sender
        return fail(ErrorCode::Malformed, "receive a packet", "it was longer than its kind can be");
    }
    packet.bytes.resize(static_cast<std::size_t>(size));
    return packet;
}

Result<UniqueFd> sealedMemory(const char* name, std::string_view content)
{
    UniqueFd memory(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!memory) {
        return failErrno("make an anonymous file");
    }
    for (std::size_t done = 0; done < content.size();) {
        const ssize_t written = ::write(memory.get(), content.data() + done, content.size() - done);
        if (written < 0) {
            return failErrno("fill an anonymous file");
        }
        done += static_cast<std::size_t>(written);
    }
    if (::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0) {
        return failErrno("seal an anonymous file");
    }
    return memory;
}

Result<std::string> readAll(int fd, std::size_t maximumBytes)
{
    // Its size is a guess only: a file may grow, and those of /proc have none.
    constexpr std::size_t kLeastBytes = 4096;
    struct stat status = {};
    const auto size = ::fstat(fd, &status) == 0 ? static_cast<std::size_t>(status.st_size) : 0;
    std::string content(std::min(std::max(size + 1, kLeastBytes), maximumBytes + 1), '\0');
    for (std::size_t done = 0;;) {
        if (done == content.size()) {
            content.resize(2 * done);
        }
        const ssize_t more
            = ::pread(fd, content.data() + done, content.size() - done, static_cast<off_t>(done));
        if (more < 0 && errno == EINTR) {
            continue;
        }
        if (more < 0) {
            return failErrno("read a file");
        }
        done += static_cast<std::size_t>(more);
        if (done > maximumBytes) {
            return fail(ErrorCode::LimitExceeded, "read a file", "it is larger than expected");
        }
        if (more == 0) {
            content.resize(done);
            return content;
        }
    }
}

} // namespace revet::os
