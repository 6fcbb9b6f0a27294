// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace revet::policy {

/// What a profile can say in place of a host: what the tool's own configuration names.
inline constexpr std::array<std::string_view, 6> kHostTokens
    = {"npm-registry", "python-index", "cargo-registry", "go-proxy", "go-sumdb", "maven-repositories"};

/// "$npm-registry", or "$ANTHROPIC_BASE_URL": the address in a variable of the caller's.
[[nodiscard]] bool isHostToken(std::string_view text);

/// Where a tool fetches from, in the order of its configuration. Total: what is not understood names nothing.
using Addresses = std::vector<std::string>;
/// An .npmrc: registry, and those of scopes.
[[nodiscard]] Addresses addressesOfNpmrc(std::string_view text);
/// A pip.conf: index-url and extra-index-url.
[[nodiscard]] Addresses addressesOfPipConf(std::string_view text);
/// uv.toml: index-url, extra-index-url, [[index]].
[[nodiscard]] Addresses addressesOfUvConfig(std::string_view text);
/// cargo's config.toml: [registries.*] and [source.*].
[[nodiscard]] Addresses addressesOfCargoConfig(std::string_view text);
/// maven's settings.xml: every <url>.
[[nodiscard]] Addresses addressesOfMavenSettings(std::string_view text);
/// A list as GOPROXY, GOSUMDB and PIP_EXTRA_INDEX_URL have it: addresses, and names of hosts for
/// `takesNames`.
[[nodiscard]] Addresses addressesOfList(std::string_view text, bool takesNames = false);
/// The values of NAME=value lines, as `go env -w` writes them.
[[nodiscard]] std::optional<std::string> valueIn(std::string_view text, std::string_view name);

/// "https://user:word@host:8443/path" as the rule "host:8443"; without a port 443, or 80 for http. None for
/// what is no address of a host.
[[nodiscard]] std::optional<std::string> ruleOfAddress(std::string_view address);
/// An address without the name and password of a user; nothing where a part of them could be left.
[[nodiscard]] std::string withoutPassword(std::string_view address);
/// The same for a list of addresses and words. Nothing where one of them is dropped: a password can hold what
/// parts a list.
[[nodiscard]] std::string withoutPasswords(std::string_view list);

} // namespace revet::policy
