// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/os/seccomp_notify.h"
#include "engine/supervisor/call.h"
#include "engine/supervisor/target.h"

#include <cstdint>
#include <span>
#include <string>

namespace revet::supervisor {

/// Takes the arguments of one call into a Call; which argument means what is the decoders' to say.
class ArgumentReader
{
public:
    ArgumentReader(const os::Notification& notification, Target& target);

    // The kernel takes ints from the low half of the register, whatever the high one holds.
    [[nodiscard]] int integer(unsigned index) const { return static_cast<int>(raw(index)); }
    [[nodiscard]] unsigned bits(unsigned index) const { return static_cast<unsigned>(raw(index)); }
    [[nodiscard]] mode_t mode(unsigned index) const { return static_cast<mode_t>(raw(index)) & 07777U; }
    [[nodiscard]] std::uint64_t raw(unsigned index) const { return m_notification.arguments.at(index); }

    /// A path that must not be empty.
    [[nodiscard]] Result<void> path(PathArgument& into, int directory, unsigned index);
    /// A path that with AT_EMPTY_PATH may be empty, and then means the descriptor.
    [[nodiscard]] Result<void> pathOrDescriptor(PathArgument& into, int directory, unsigned index,
                                                unsigned atFlags);
    void descriptor(PathArgument& into, unsigned index) const;
    [[nodiscard]] Result<void> text(std::string& into, unsigned index);
    [[nodiscard]] Result<void> bytes(std::string& into, std::uint64_t address, std::size_t size);

    template<typename Type>
    [[nodiscard]] Result<Type> read(std::uint64_t address)
    {
        Type value{};
        REVET_RETURN_IF_ERROR(m_target.readBytes(address, std::as_writable_bytes(std::span(&value, 1))));
        return value;
    }

    Call call; ///< the result

private:
    const os::Notification& m_notification;
    Target& m_target;
};

[[nodiscard]] tl::unexpected<Error> refuseArgument(int errnoValue);

/// Decodes one system call into reader.call.
using CallDecoder = Result<void> (*)(ArgumentReader& reader);
/// The decoder of a number or nullptr, by what the calls are about.
[[nodiscard]] CallDecoder findOpenDecoder(int number);
[[nodiscard]] CallDecoder findNameDecoder(int number);
[[nodiscard]] CallDecoder findAttributeDecoder(int number);

} // namespace revet::supervisor
