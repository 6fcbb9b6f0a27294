// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/host_name.h"

#include "engine/domain/display_escape.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <idn2.h>

namespace revet::policy {

namespace {

constexpr std::size_t kMaximumName = 253; // RFC 1035: 255 bytes on the wire
constexpr std::size_t kMaximumLabel = 63;
constexpr std::size_t kMaximumInput = 1024; ///< of bytes before they become A-labels

struct FreeIdn
{
    void operator()(char* text) const { ::idn2_free(text); }
};

bool isDigit(char byte)
{
    return byte >= '0' && byte <= '9';
}

char lowered(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : byte;
}

bool isNameByte(char byte)
{
    return (byte >= 'a' && byte <= 'z') || isDigit(byte) || byte == '-' || byte == '_';
}

bool isLabel(std::string_view label)
{
    return !label.empty() && label.size() <= kMaximumLabel && std::ranges::all_of(label, isNameByte)
        && label.front() != '-' && label.back() != '-';
}

/// inet_aton(3) takes "1.2.3.4", "127.1" and "0x7f.1" for addresses; RFC 3696 keeps the last label from being
/// all digits for that reason.
bool isNumber(std::string_view label)
{
    return std::ranges::all_of(label, isDigit) || label.starts_with("0x");
}

std::vector<std::string_view> split(std::string_view name)
{
    std::vector<std::string_view> labels;
    for (std::size_t start = 0; start <= name.size();) {
        const std::size_t dot = std::min(name.find('.', start), name.size());
        labels.push_back(name.substr(start, dot - start));
        start = dot + 1;
    }
    return labels;
}

} // namespace

Result<HostName> HostName::parse(std::string_view bytes)
{
    const auto refuse = [bytes](const char* why) {
        return fail(ErrorCode::Malformed,
                    "read the host name " + displayQuoted(bytes.substr(0, kMaximumName)), why);
    };
    if (bytes.empty() || bytes.size() > kMaximumInput || bytes.find('\0') != std::string_view::npos) {
        return refuse("it is empty, too long, or has a zero byte");
    }
    std::string name(bytes.ends_with('.') ? bytes.substr(0, bytes.size() - 1) : bytes);
    std::ranges::transform(name, name.begin(), lowered); // "XN--" is an A-label as well
    const auto isAscii = [](char byte) { return static_cast<unsigned char>(byte) < 0x80; };
    // What is looked like by an A-label is checked as well: one that no U-label gives is a forgery.
    if (!std::ranges::all_of(name, isAscii) || name.find("xn--") != std::string::npos) {
        char* converted = nullptr;
        const int status = ::idn2_to_ascii_8z(
            name.c_str(), &converted, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL | IDN2_USE_STD3_ASCII_RULES);
        const std::unique_ptr<char, FreeIdn> owned(converted);
        if (status != IDN2_OK) {
            return refuse(::idn2_strerror(status));
        }
        name = converted;
    }
    std::ranges::transform(name, name.begin(), lowered);
    const auto labels = split(name);
    if (name.size() > kMaximumName || !std::ranges::all_of(labels, isLabel)) {
        return refuse("labels have 1 to 63 letters, digits, '-' or '_'");
    }
    if (isNumber(labels.back())) {
        return refuse("it is an address, or looks like one");
    }
    return HostName(std::move(name));
}

std::vector<std::string_view> HostName::labels() const
{
    return split(m_text);
}

} // namespace revet::policy
