// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/egress/system_names.h"

#include "engine/os/socket.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <arpa/nameser.h>
#include <fcntl.h>
#include <netdb.h>
#include <resolv.h>

namespace revet::egress {

namespace {

constexpr std::size_t kMaximumHostsFile = std::size_t{1} << 20U;
constexpr std::size_t kMaximumAnswer = 65536;
constexpr std::size_t kMaximumAddresses = 32;
constexpr int kSecondsPerTry = 2;
constexpr int kTries = 2;

/// A resolver's state, read from /etc/resolv.conf.
class ResolverState
{
public:
    ResolverState()
        : m_isReady(::res_ninit(&m_state) == 0)
    {
        m_state.retrans = kSecondsPerTry;
        m_state.retry = kTries;
    }
    ~ResolverState()
    {
        if (m_isReady) {
            ::res_nclose(&m_state);
        }
    }
    ResolverState(const ResolverState&) = delete;
    ResolverState& operator=(const ResolverState&) = delete;
    ResolverState(ResolverState&&) = delete;
    ResolverState& operator=(ResolverState&&) = delete;

    FoundAddresses ask(const policy::HostName& name, ns_type type)
    {
        std::vector<unsigned char> answer(kMaximumAnswer);
        const int size = m_isReady ? ::res_nquery(&m_state, name.text().c_str(), ns_c_in, type, answer.data(),
                                                  static_cast<int>(answer.size()))
                                   : -1;
        if (size > 0) {
            const auto length = std::min(static_cast<std::size_t>(size), answer.size());
            return {DnsStatus::NoError,
                    addressesInAnswer({reinterpret_cast<const char*>(answer.data()), length})};
        }
        switch (m_isReady ? m_state.res_h_errno : TRY_AGAIN) {
        case HOST_NOT_FOUND:
            return {DnsStatus::NoSuchName, {}};
        case NO_DATA:
            return {DnsStatus::NoError, {}};
        default:
            return {DnsStatus::ServerFailure, {}};
        }
    }

private:
    struct __res_state m_state = {};
    bool m_isReady;
};

std::string_view nextWord(std::string_view& line)
{
    constexpr std::string_view kBlanks = " \t\r";
    const std::size_t start = std::min(line.find_first_not_of(kBlanks), line.size());
    line.remove_prefix(start);
    const std::size_t end = std::min(line.find_first_of(kBlanks), line.size());
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(end);
    return word;
}

} // namespace

std::vector<policy::IpAddress> addressesInHosts(std::string_view text, const policy::HostName& name)
{
    std::vector<policy::IpAddress> addresses;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        line = line.substr(0, line.find('#'));
        const auto address = policy::IpAddress::parse(nextWord(line));
        for (std::string_view word = nextWord(line); address && !word.empty(); word = nextWord(line)) {
            const auto host = policy::HostName::parse(word);
            if (host && *host == name && addresses.size() < kMaximumAddresses) {
                addresses.push_back(*address);
                break;
            }
        }
    }
    return addresses;
}

std::vector<policy::IpAddress> addressesInAnswer(std::string_view message)
{
    std::vector<policy::IpAddress> addresses;
    ns_msg parsed{};
    if (message.size() > kMaximumAnswer
        || ::ns_initparse(reinterpret_cast<const unsigned char*>(message.data()),
                          static_cast<int>(message.size()), &parsed)
            != 0) {
        return addresses;
    }
    for (int i = 0; i < ns_msg_count(parsed, ns_s_an) && addresses.size() < kMaximumAddresses; ++i) {
        ns_rr record{};
        if (::ns_parserr(&parsed, ns_s_an, i, &record) != 0) {
            break;
        }
        // Those of the aliases' end too, whatever their owner: our own name server has followed them.
        if (record.type == ns_t_a && record.rdlength == NS_INADDRSZ) {
            std::array<std::uint8_t, NS_INADDRSZ> bytes{};
            std::memcpy(bytes.data(), record.rdata, bytes.size());
            addresses.push_back(policy::IpAddress::v4(bytes));
        } else if (record.type == ns_t_aaaa && record.rdlength == NS_IN6ADDRSZ) {
            policy::IpAddress::Bytes bytes{};
            std::memcpy(bytes.data(), record.rdata, bytes.size());
            addresses.push_back(policy::IpAddress::v6(bytes));
        }
    }
    return addresses;
}

FoundAddresses SystemNames::find(const policy::HostName& name)
{
    const UniqueFd hosts(::open("/etc/hosts", O_RDONLY | O_CLOEXEC));
    if (const auto text
        = hosts ? os::readAll(hosts.get(), kMaximumHostsFile) : fail(ErrorCode::NotFound, "")) {
        auto addresses = addressesInHosts(*text, name);
        if (!addresses.empty()) {
            return {DnsStatus::NoError, std::move(addresses)};
        }
    }
    ResolverState resolver;
    FoundAddresses found = resolver.ask(name, ns_t_a);
    if (found.status == DnsStatus::NoSuchName) {
        return found;
    }
    FoundAddresses six = resolver.ask(name, ns_t_aaaa);
    if (found.status != DnsStatus::NoError) {
        return six;
    }
    found.addresses.insert(found.addresses.end(), six.addresses.begin(), six.addresses.end());
    return found;
}

} // namespace revet::egress
