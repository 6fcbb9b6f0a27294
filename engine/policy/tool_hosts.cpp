// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/tool_hosts.h"

#include "engine/policy/environment.h"
#include "engine/policy/network_rules.h"
#include "engine/policy/text_lines.h"
#include "engine/policy/toml_text.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace revet::policy {

namespace {

constexpr std::string_view kBlank = " \t\r";
constexpr std::string_view kBetween = " \t\r\n,|"; ///< items of a list
constexpr std::string_view kSchemeEnd = "://";

std::string_view trimmed(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(kBlank);
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// "key = value" of an ini file, without quotes; no key for other lines.
std::pair<std::string_view, std::string_view> assignmentIn(std::string_view line)
{
    line = trimmed(line);
    const std::size_t equals = line.find('=');
    if (line.empty() || line.front() == '#' || line.front() == ';' || equals == std::string_view::npos) {
        return {};
    }
    std::string_view value = trimmed(line.substr(equals + 1));
    if (value.size() > 1 && (value.front() == '"' || value.front() == '\'')
        && value.back() == value.front()) {
        value = value.substr(1, value.size() - 2);
    }
    return {trimmed(line.substr(0, equals)), value};
}

bool isAddress(std::string_view text)
{
    return text.find(kSchemeEnd) != std::string_view::npos;
}

void addText(const TomlValue* value, Addresses& addresses)
{
    if (value == nullptr) {
        return;
    }
    if (value->kind == TomlValue::Kind::Text) {
        addresses.push_back(value->text);
    }
    for (const TomlValue& item : value->list) {
        addText(&item, addresses);
    }
}

/// Of a table of tables: each one's `key`.
void addEach(const TomlValue* tables, std::string_view key, Addresses& addresses)
{
    if (tables == nullptr) {
        return;
    }
    for (const TomlMember& member : tables->table) {
        addText(member.value.find(key), addresses);
    }
    for (const TomlValue& item : tables->list) {
        addText(item.find(key), addresses);
    }
}

/// Where the host of an address begins, and the user's part in front of it.
std::size_t hostBegin(std::string_view address)
{
    const std::size_t scheme = address.find(kSchemeEnd);
    return scheme == std::string_view::npos ? std::string_view::npos : scheme + kSchemeEnd.size();
}

} // namespace

bool isHostToken(std::string_view text)
{
    if (!text.starts_with('$')) {
        return false;
    }
    text.remove_prefix(1);
    return std::ranges::find(kHostTokens, text) != kHostTokens.end()
        || (isEnvironmentName(text) && text.front() >= 'A' && text.front() <= 'Z');
}

Addresses addressesOfNpmrc(std::string_view text)
{
    Addresses addresses;
    forEachLine(text, [&](std::string_view line) {
        const auto [key, value] = assignmentIn(line);
        if ((key == "registry" || (key.starts_with('@') && key.ends_with(":registry"))) && isAddress(value)) {
            addresses.emplace_back(value);
        }
    });
    return addresses;
}

Addresses addressesOfPipConf(std::string_view text)
{
    Addresses addresses;
    bool isList = false;
    forEachLine(text, [&](std::string_view line) {
        const bool goesOn = !line.empty() && kBlank.find(line.front()) != std::string_view::npos;
        std::string_view value = trimmed(line);
        if (!goesOn) {
            std::string key;
            std::string_view name;
            std::tie(name, value) = assignmentIn(line);
            std::ranges::replace_copy(name, std::back_inserter(key), '_', '-');
            isList = key == "index-url" || key == "extra-index-url";
        }
        if (isList) {
            const Addresses more = addressesOfList(value);
            addresses.insert(addresses.end(), more.begin(), more.end());
        }
    });
    return addresses;
}

Addresses addressesOfUvConfig(std::string_view text)
{
    Addresses addresses;
    if (const auto root = parseToml(text, "uv.toml")) {
        addText(root->find("index-url"), addresses);
        addText(root->find("extra-index-url"), addresses);
        addEach(root->find("index"), "url", addresses);
    }
    return addresses;
}

Addresses addressesOfCargoConfig(std::string_view text)
{
    Addresses addresses;
    if (const auto root = parseToml(text, "config.toml")) {
        addEach(root->find("registries"), "index", addresses);
        addEach(root->find("source"), "registry", addresses);
    }
    return addresses;
}

Addresses addressesOfMavenSettings(std::string_view text)
{
    Addresses addresses;
    const auto skipTo = [&text](std::string_view mark) {
        const std::size_t found = text.find(mark);
        text.remove_prefix(found == std::string_view::npos ? text.size() : found + mark.size());
        return found != std::string_view::npos;
    };
    constexpr std::string_view kUrl = "<url>";
    constexpr std::string_view kComment = "<!--";
    while (true) {
        const std::size_t url = text.find(kUrl);
        if (url == std::string_view::npos) {
            return addresses;
        }
        if (text.find(kComment) < url) {
            skipTo(kComment);
            skipTo("-->");
            continue;
        }
        skipTo(kUrl);
        const std::string_view value = trimmed(text.substr(0, text.find('<')));
        if (isAddress(value)) {
            addresses.emplace_back(value);
        }
    }
}

Addresses addressesOfList(std::string_view text, bool takesNames)
{
    Addresses addresses;
    while (true) {
        const std::size_t begin = text.find_first_not_of(kBetween);
        if (begin == std::string_view::npos) {
            return addresses;
        }
        const std::size_t end = std::min(text.find_first_of(kBetween, begin), text.size());
        const std::string_view item = text.substr(begin, end - begin);
        if (isAddress(item)) {
            addresses.emplace_back(item);
        } else if (takesNames && item.find('.') != std::string_view::npos) {
            addresses.push_back("https://" + std::string(item.substr(0, item.find('+'))));
        }
        text.remove_prefix(end);
    }
}

std::optional<std::string> valueIn(std::string_view text, std::string_view name)
{
    std::optional<std::string> found;
    forEachLine(text, [&](std::string_view line) {
        if (const auto [key, value] = assignmentIn(line); key == name) {
            found = std::string(value);
        }
    });
    return found;
}

std::optional<std::string> ruleOfAddress(std::string_view address)
{
    const std::size_t begin = hostBegin(address);
    if (begin == std::string_view::npos) {
        return std::nullopt;
    }
    std::string_view scheme = address.substr(0, begin - kSchemeEnd.size());
    scheme.remove_prefix(std::min(scheme.size(), scheme.rfind('+') + 1)); // "sparse+https", "git+ssh"
    std::string_view host = address.substr(begin);
    host = host.substr(0, host.find_first_of("/?#\\"));
    host.remove_prefix(host.rfind('@') + 1); // npos + 1 is 0
    const std::size_t colon = host.starts_with('[') ? host.find(':', host.find(']')) : host.find(':');
    std::string rule(host);
    if (colon == std::string_view::npos) {
        if (scheme != "https" && scheme != "http") {
            return std::nullopt;
        }
        rule += scheme == "https" ? ":443" : ":80";
    }
    // A single host: what a configuration holds is no pattern.
    const bool isOne = rule.find_first_of("*/") == std::string::npos;
    return isOne && NetworkRules::compile({&rule, 1}) ? std::optional(rule) : std::nullopt;
}

std::string withoutPassword(std::string_view address)
{
    std::string clean(address);
    if (const std::size_t begin = hostBegin(address); begin != std::string_view::npos) {
        const std::string_view host = address.substr(begin, address.find_first_of("/?#\\", begin) - begin);
        const std::size_t user = host.rfind('@') + 1; // npos + 1 is 0
        const std::string_view server = host.substr(user);
        if (!server.empty() && !HostPattern::compile(server) && !AddressPattern::compile(server)) {
            return {};
        }
        clean.erase(begin, user);
    }
    return clean.find('@') == std::string::npos ? clean : std::string();
}

std::string withoutPasswords(std::string_view list)
{
    std::string clean;
    while (true) {
        const std::size_t end = std::min(list.find_first_of(kBetween), list.size());
        const std::string item = withoutPassword(list.substr(0, end));
        if (item.empty() && end != 0) {
            return {};
        }
        clean += item;
        if (end == list.size()) {
            return clean;
        }
        clean += list[end];
        list.remove_prefix(end + 1);
    }
}

} // namespace revet::policy
