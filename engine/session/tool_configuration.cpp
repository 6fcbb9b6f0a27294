// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/tool_configuration.h"

#include "engine/session/account.h"
#include "engine/session/project_finder.h"
#include "engine/session/text_file.h"

#include <algorithm>
#include <utility>

namespace revet::session {

namespace {

namespace fs = std::filesystem;

void append(policy::Addresses& to, const policy::Addresses& more)
{
    to.insert(to.end(), more.begin(), more.end());
}

void takeFirst(std::string& value, std::string_view next)
{
    if (value.empty()) {
        value = policy::withoutPassword(next);
    }
}

} // namespace

std::string ToolConfiguration::read(const fs::path& file) const
{
    std::error_code error;
    const fs::path real = fs::canonical(file, error); // "" is an error too
    if (error || isWithin(real.string(), m_project)) {
        return {};
    }
    return readText(real).value_or(std::string());
}

std::string ToolConfiguration::variable(const std::string& name) const
{
    return environmentValue(m_environment, name);
}

fs::path ToolConfiguration::placeOf(const std::string& variableName, std::string_view inHome) const
{
    const std::string named = variable(variableName);
    return named.empty() ? fs::path(m_home) / inHome : fs::path(named);
}

fs::path ToolConfiguration::prefixOf(std::string_view program) const
{
    for (const fs::path& directory : directoriesOf(variable("PATH"))) {
        std::error_code error;
        const fs::path real = fs::canonical(directory / program, error);
        if (!error && directory.is_absolute()) {
            return real.parent_path().parent_path();
        }
    }
    return {};
}

ToolConfiguration::Found ToolConfiguration::npm() const
{
    Found found;
    for (const char* const name : {"npm_config_registry", "NPM_CONFIG_REGISTRY"}) {
        takeFirst(found.value, variable(name));
        found.addresses.push_back(variable(name));
    }
    const fs::path prefix = prefixOf("node");
    const std::string global = variable("NPM_CONFIG_GLOBALCONFIG");
    for (const fs::path& file :
         {placeOf("NPM_CONFIG_USERCONFIG", ".npmrc"), placeOf("XDG_CONFIG_HOME", ".config") / "pnpm/rc",
          global.empty() ? prefix / "etc/npmrc" : fs::path(global), fs::path("/etc/npmrc")}) {
        const std::string text = read(file);
        takeFirst(found.value, policy::valueIn(text, "registry").value_or(""));
        append(found.addresses, policy::addressesOfNpmrc(text));
    }
    return found;
}

ToolConfiguration::Found ToolConfiguration::python() const
{
    Found found;
    takeFirst(found.value, variable("PIP_INDEX_URL"));
    for (const char* const name : {"PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL"}) {
        found.addresses.push_back(variable(name));
    }
    for (const char* const name : {"PIP_EXTRA_INDEX_URL", "UV_EXTRA_INDEX_URL"}) {
        append(found.addresses, policy::addressesOfList(variable(name)));
    }
    const fs::path config = placeOf("XDG_CONFIG_HOME", ".config");
    for (const fs::path& file : {fs::path(variable("PIP_CONFIG_FILE")), config / "pip/pip.conf",
                                 fs::path(m_home) / ".pip/pip.conf", fs::path("/etc/pip.conf")}) {
        const std::string text = read(file);
        takeFirst(found.value, policy::valueIn(text, "index-url").value_or(""));
        append(found.addresses, policy::addressesOfPipConf(text));
    }
    for (const fs::path& file : {config / "uv/uv.toml", fs::path("/etc/uv/uv.toml")}) {
        append(found.addresses, policy::addressesOfUvConfig(read(file)));
    }
    return found;
}

ToolConfiguration::Found ToolConfiguration::cargo() const
{
    Found found;
    for (const std::string& assignment : m_environment) {
        const std::string_view name = std::string_view(assignment).substr(0, assignment.find('='));
        if (name.starts_with("CARGO_REGISTRIES_") && name.ends_with("_INDEX")) {
            found.addresses.push_back(variable(std::string(name)));
        }
    }
    const fs::path home = placeOf("CARGO_HOME", ".cargo");
    for (const char* const name : {"config.toml", "config"}) {
        append(found.addresses, policy::addressesOfCargoConfig(read(home / name)));
    }
    return found;
}

ToolConfiguration::Found ToolConfiguration::go(const std::string& name) const
{
    std::string value = variable(name);
    const std::string root = variable("GOROOT");
    const std::string named = variable("GOENV");
    const fs::path own = placeOf("XDG_CONFIG_HOME", ".config") / "go/env";
    for (const fs::path& file : {named.empty() ? own : fs::path(named),
                                 (root.empty() ? prefixOf("go") : fs::path(root)) / "go.env"}) {
        value = value.empty() ? policy::valueIn(read(file), name).value_or("") : value;
    }
    return {policy::addressesOfList(value, true), policy::withoutPasswords(value)};
}

ToolConfiguration::Found ToolConfiguration::maven() const
{
    Found found;
    const std::string installed = variable("MAVEN_HOME");
    for (const fs::path& file : {fs::path(m_home) / ".m2/settings.xml",
                                 installed.empty() ? fs::path() : fs::path(installed) / "conf/settings.xml",
                                 fs::path("/etc/maven/settings.xml")}) {
        append(found.addresses, policy::addressesOfMavenSettings(read(file)));
    }
    return found;
}

ToolConfiguration::Found ToolConfiguration::find(std::string_view token) const
{
    token.remove_prefix(std::min<std::size_t>(token.size(), 1)); // the $
    if (token == "npm-registry") {
        return npm();
    }
    if (token == "python-index") {
        return python();
    }
    if (token == "cargo-registry") {
        return cargo();
    }
    if (token == "go-proxy") {
        return go("GOPROXY");
    }
    if (token == "go-sumdb") {
        return go("GOSUMDB");
    }
    if (token == "maven-repositories") {
        return maven();
    }
    const std::string value = variable(std::string(token));
    return {{value}, policy::withoutPassword(value)};
}

} // namespace revet::session
