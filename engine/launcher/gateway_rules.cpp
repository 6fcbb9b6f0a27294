// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// In the words of nft(8):
//
//     table inet revet {
//         chain hold {
//             type filter hook prerouting priority -300; policy drop;
//             iifname "lo" accept
//             iifname != "gw0" drop
//             ip frag-off & 0x1fff != 0 drop
//             exthdr frag exists drop
//             tcp flags & (syn | ack) == syn drop
//             meta l4proto tcp accept
//             meta l4proto udp accept
//             icmpv6 type nd-neighbor-solicit accept
//         }
//         chain steer {
//             type filter hook prerouting priority -150; policy accept;
//             meta nfproto ipv4 meta l4proto tcp tproxy ip to 127.0.0.1:1 accept
//             meta nfproto ipv6 meta l4proto tcp tproxy ip6 to [::1]:1 accept
//         }
//         chain in {
//             type filter hook input priority 0; policy accept;
//             iifname "gw0" ip daddr 198.18.0.1 udp dport 53 accept
//             iifname "gw0" meta l4proto udp reject with icmpx type port-unreachable
//         }
//         chain out { type filter hook forward priority 0; policy drop; }
//     }

#include "engine/launcher/gateway_rules.h"

#include "engine/os/netlink.h"

#include <array>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <arpa/inet.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <netinet/in.h>

namespace revet::launcher {

namespace {

using os::bytesOf;
using os::NetlinkMessage;

constexpr const char* kTable = "revet";
constexpr std::size_t kInterfaceName = 16;

std::string bigEndian(std::uint32_t number)
{
    return std::string(bytesOf(htonl(number)));
}

NetlinkMessage message(unsigned kind, std::uint16_t flags)
{
    nfgenmsg family{};
    family.nfgen_family = NFPROTO_INET;
    family.version = NFNETLINK_V0;
    return {static_cast<std::uint16_t>(NFNL_SUBSYS_NFTABLES << 8U | kind), flags, bytesOf(family)};
}

NetlinkMessage table()
{
    NetlinkMessage made = message(NFT_MSG_NEWTABLE, NLM_F_CREATE | NLM_F_EXCL);
    made.text(NFTA_TABLE_NAME, kTable);
    return made;
}

NetlinkMessage chain(const char* name, unsigned hook, std::int32_t priority, unsigned policy)
{
    NetlinkMessage made = message(NFT_MSG_NEWCHAIN, NLM_F_CREATE | NLM_F_EXCL);
    made.text(NFTA_CHAIN_TABLE, kTable);
    made.text(NFTA_CHAIN_NAME, name);
    made.nested(NLA_F_NESTED | NFTA_CHAIN_HOOK, [&] {
        made.attribute(NFTA_HOOK_HOOKNUM, bigEndian(hook));
        made.attribute(NFTA_HOOK_PRIORITY, bigEndian(static_cast<std::uint32_t>(priority)));
    });
    made.attribute(NFTA_CHAIN_POLICY, bigEndian(policy));
    made.text(NFTA_CHAIN_TYPE, "filter");
    return made;
}

/// One rule: expressions that pass their operand on in register 1. An expression that does not hold ends it.
class Rule
{
public:
    explicit Rule(const char* chain)
        : m_chain(chain)
    {
    }
    Rule& meta(unsigned key)
    {
        return expression("meta", [=](NetlinkMessage& made) {
            made.attribute(NFTA_META_KEY, bigEndian(key));
            made.attribute(NFTA_META_DREG, bigEndian(NFT_REG_1));
        });
    }
    Rule& payload(unsigned base, unsigned offset, unsigned length)
    {
        return expression("payload", [=](NetlinkMessage& made) {
            made.attribute(NFTA_PAYLOAD_DREG, bigEndian(NFT_REG_1));
            made.attribute(NFTA_PAYLOAD_BASE, bigEndian(base));
            made.attribute(NFTA_PAYLOAD_OFFSET, bigEndian(offset));
            made.attribute(NFTA_PAYLOAD_LEN, bigEndian(length));
        });
    }
    Rule& mask(std::string bytes)
    {
        return expression("bitwise", [bytes = std::move(bytes)](NetlinkMessage& made) {
            made.attribute(NFTA_BITWISE_SREG, bigEndian(NFT_REG_1));
            made.attribute(NFTA_BITWISE_DREG, bigEndian(NFT_REG_1));
            made.attribute(NFTA_BITWISE_LEN, bigEndian(static_cast<std::uint32_t>(bytes.size())));
            value(made, NFTA_BITWISE_MASK, bytes);
            value(made, NFTA_BITWISE_XOR, std::string(bytes.size(), '\0'));
        });
    }
    Rule& is(std::string bytes) { return compare(NFT_CMP_EQ, std::move(bytes)); }
    Rule& isNot(std::string bytes) { return compare(NFT_CMP_NEQ, std::move(bytes)); }
    Rule& hasFragmentHeader()
    {
        return expression("exthdr",
                          [](NetlinkMessage& made) {
                              made.attribute(NFTA_EXTHDR_DREG, bigEndian(NFT_REG_1));
                              made.attribute(NFTA_EXTHDR_TYPE,
                                             std::string(1, static_cast<char>(IPPROTO_FRAGMENT)));
                              made.attribute(NFTA_EXTHDR_OFFSET, bigEndian(0));
                              made.attribute(NFTA_EXTHDR_LEN, bigEndian(1));
                              made.attribute(NFTA_EXTHDR_FLAGS, bigEndian(NFT_EXTHDR_F_PRESENT));
                          })
            .is(std::string(1, '\1'));
    }
    Rule& from(const char* interface) { return meta(NFT_META_IIFNAME).is(padded(interface)); }
    Rule& notFrom(const char* interface) { return meta(NFT_META_IIFNAME).isNot(padded(interface)); }
    Rule& network(unsigned protocol)
    {
        return meta(NFT_META_NFPROTO).is(std::string(1, static_cast<char>(protocol)));
    }
    Rule& transport(unsigned protocol)
    {
        return meta(NFT_META_L4PROTO).is(std::string(1, static_cast<char>(protocol)));
    }
    /// To the listener at this address, port 1.
    Rule& steer(unsigned family, std::string address)
    {
        immediate(NFT_REG_1, std::move(address));
        immediate(NFT_REG_2, std::string("\0\1", 2));
        return expression("tproxy", [=](NetlinkMessage& made) {
            made.attribute(NFTA_TPROXY_FAMILY, bigEndian(family));
            made.attribute(NFTA_TPROXY_REG_ADDR, bigEndian(NFT_REG_1));
            made.attribute(NFTA_TPROXY_REG_PORT, bigEndian(NFT_REG_2));
        });
    }
    Rule& refuse()
    {
        return expression("reject", [](NetlinkMessage& made) {
            made.attribute(NFTA_REJECT_TYPE, bigEndian(NFT_REJECT_ICMPX_UNREACH));
            made.attribute(NFTA_REJECT_ICMP_CODE, std::string(1, char{NFT_REJECT_ICMPX_PORT_UNREACH}));
        });
    }
    NetlinkMessage accept() { return verdict(NF_ACCEPT); }
    NetlinkMessage drop() { return verdict(NF_DROP); }
    NetlinkMessage made()
    {
        NetlinkMessage rule = message(NFT_MSG_NEWRULE, NLM_F_CREATE | NLM_F_APPEND);
        rule.text(NFTA_RULE_TABLE, kTable);
        rule.text(NFTA_RULE_CHAIN, m_chain);
        rule.nested(NLA_F_NESTED | NFTA_RULE_EXPRESSIONS, [&] {
            for (const auto& expression : m_expressions) {
                rule.nested(NLA_F_NESTED | NFTA_LIST_ELEM, [&] {
                    rule.text(NFTA_EXPR_NAME, expression.first);
                    rule.nested(NLA_F_NESTED | NFTA_EXPR_DATA, [&] { expression.second(rule); });
                });
            }
        });
        return rule;
    }

private:
    using Fill = std::function<void(NetlinkMessage&)>;

    static std::string padded(const char* interface)
    {
        std::string name(interface);
        name.resize(kInterfaceName);
        return name;
    }
    static void value(NetlinkMessage& made, unsigned type, const std::string& bytes)
    {
        made.nested(static_cast<std::uint16_t>(NLA_F_NESTED | type),
                    [&] { made.attribute(NFTA_DATA_VALUE, bytes); });
    }
    Rule& expression(const char* name, Fill fill)
    {
        m_expressions.emplace_back(name, std::move(fill));
        return *this;
    }
    Rule& compare(unsigned operation, std::string bytes)
    {
        return expression("cmp", [=](NetlinkMessage& made) {
            made.attribute(NFTA_CMP_SREG, bigEndian(NFT_REG_1));
            made.attribute(NFTA_CMP_OP, bigEndian(operation));
            value(made, NFTA_CMP_DATA, bytes);
        });
    }
    Rule& immediate(unsigned where, std::string bytes)
    {
        return expression("immediate", [=](NetlinkMessage& made) {
            made.attribute(NFTA_IMMEDIATE_DREG, bigEndian(where));
            value(made, NFTA_IMMEDIATE_DATA, bytes);
        });
    }
    NetlinkMessage verdict(unsigned code)
    {
        return expression("immediate",
                          [=](NetlinkMessage& made) {
                              made.attribute(NFTA_IMMEDIATE_DREG, bigEndian(NFT_REG_VERDICT));
                              made.nested(NLA_F_NESTED | NFTA_IMMEDIATE_DATA, [&] {
                                  made.nested(NLA_F_NESTED | NFTA_DATA_VERDICT,
                                              [&] { made.attribute(NFTA_VERDICT_CODE, bigEndian(code)); });
                              });
                          })
            .made();
    }

    const char* m_chain;
    std::vector<std::pair<const char*, Fill>> m_expressions;
};

std::vector<NetlinkMessage> rules()
{
    constexpr unsigned kIpFragment = 6;
    constexpr unsigned kIpDestination = 16;
    constexpr unsigned kTcpFlags = 13;
    constexpr unsigned kUdpDestination = 2;
    constexpr char kSyn = 0x02;
    constexpr char kSynAndAck = 0x12;
    constexpr char kNeighbourSolicit = static_cast<char>(135);
    const auto syn = [](Rule rule) {
        return rule.transport(IPPROTO_TCP)
            .payload(NFT_PAYLOAD_TRANSPORT_HEADER, kTcpFlags, 1)
            .mask(std::string(1, kSynAndAck));
    };
    const std::string six = std::string(15, '\0') + '\1';
    std::vector<NetlinkMessage> made;
    made.push_back(table());
    made.push_back(chain("hold", NF_INET_PRE_ROUTING, -300, NF_DROP));
    made.push_back(Rule("hold").from("lo").accept());
    made.push_back(Rule("hold").notFrom("gw0").drop());
    made.push_back(Rule("hold")
                       .network(NFPROTO_IPV4)
                       .payload(NFT_PAYLOAD_NETWORK_HEADER, kIpFragment, 2)
                       .mask("\x1f\xff")
                       .isNot(std::string(2, '\0'))
                       .drop());
    made.push_back(Rule("hold").network(NFPROTO_IPV6).hasFragmentHeader().drop());
    made.push_back(syn(Rule("hold")).is(std::string(1, kSyn)).drop());
    made.push_back(Rule("hold").transport(IPPROTO_TCP).accept());
    made.push_back(Rule("hold").transport(IPPROTO_UDP).accept());
    made.push_back(Rule("hold")
                       .network(NFPROTO_IPV6)
                       .transport(IPPROTO_ICMPV6)
                       .payload(NFT_PAYLOAD_TRANSPORT_HEADER, 0, 1)
                       .is(std::string(1, kNeighbourSolicit))
                       .accept());
    made.push_back(chain("steer", NF_INET_PRE_ROUTING, -150, NF_ACCEPT));
    made.push_back(Rule("steer")
                       .network(NFPROTO_IPV4)
                       .transport(IPPROTO_TCP)
                       .steer(NFPROTO_IPV4, {127, 0, 0, 1})
                       .accept());
    made.push_back(
        Rule("steer").network(NFPROTO_IPV6).transport(IPPROTO_TCP).steer(NFPROTO_IPV6, six).accept());
    made.push_back(chain("in", NF_INET_LOCAL_IN, 0, NF_ACCEPT));
    made.push_back(Rule("in")
                       .from("gw0")
                       .network(NFPROTO_IPV4)
                       .payload(NFT_PAYLOAD_NETWORK_HEADER, kIpDestination, 4)
                       .is({static_cast<char>(198), 18, 0, 1})
                       .transport(IPPROTO_UDP)
                       .payload(NFT_PAYLOAD_TRANSPORT_HEADER, kUdpDestination, 2)
                       .is({0, 53})
                       .accept());
    made.push_back(Rule("in").from("gw0").transport(IPPROTO_UDP).refuse().made());
    made.push_back(chain("out", NF_INET_FORWARD, 0, NF_DROP));
    return made;
}

} // namespace

Result<void> loadGatewayRules()
{
    constexpr const char* kWhat = "load the gateway's rules (nf_tables)";
    auto socket = os::NetlinkSocket::open(NETLINK_NETFILTER);
    if (!socket) {
        return fail(Error::fromErrno(kWhat, socket.error().errnoValue));
    }
    std::vector<NetlinkMessage> messages = rules();
    return socket->batch(messages, NFNL_SUBSYS_NFTABLES, kWhat);
}

} // namespace revet::launcher
