// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/shipped_data.h"

#include "engine/base/directory.h"
#include "engine/session/text_file.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>
#include <vector>

namespace revet::session {

namespace {

namespace fs = std::filesystem;
using NamedTexts = std::vector<std::pair<std::string, std::string>>;

constexpr const char* kCompiled = ".compiled"; ///< of Revet's own; a person's are TOML

Result<void> addProfiles(const fs::path& folder, const char* extension, NamedTexts& texts)
{
    std::vector<fs::path> files;
    const auto listed = forEachEntry(folder, [&](const fs::directory_entry& entry) {
        if (entry.path().extension() == extension) {
            files.push_back(entry.path());
        }
        return true;
    });
    if (!listed && listed.error().errnoValue != ENOENT) { // nobody has to have profiles of their own
        return fail(listed.error());
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
        REVET_ASSIGN_OR_RETURN(auto text, readText(file));
        texts.emplace_back(file.stem().string(), std::move(text));
    }
    return {};
}

} // namespace

Result<void> ShippedData::preload()
{
    REVET_ASSIGN_OR_RETURN(m_environment, readEnvironment());
    REVET_ASSIGN_OR_RETURN(m_profiles, readProfiles());
    return {};
}

Result<policy::EnvironmentTable> ShippedData::environment() const
{
    return m_environment ? Result<policy::EnvironmentTable>(*m_environment) : readEnvironment();
}

Result<policy::ProfileSet> ShippedData::profiles() const
{
    return m_profiles ? Result<policy::ProfileSet>(*m_profiles) : readProfiles();
}

Result<policy::RunLaterTable> ShippedData::runLater() const
{
    REVET_ASSIGN_OR_RETURN(const auto text,
                           readText(m_installation.share / (std::string("tables/run-later") + kCompiled)));
    return policy::RunLaterTable::parse(text);
}

Result<policy::BuildOutputTable> ShippedData::buildOutput() const
{
    REVET_ASSIGN_OR_RETURN(const auto text,
                           readText(m_installation.share / (std::string("tables/build-output") + kCompiled)));
    return policy::BuildOutputTable::parse(text);
}

Result<policy::HiddenTable> ShippedData::hidden(const std::string& home) const
{
    REVET_ASSIGN_OR_RETURN(const auto text,
                           readText(m_installation.share / (std::string("tables/hidden") + kCompiled)));
    return policy::HiddenTable::parse(text, {home, m_places.runtime.parent_path().string()});
}

Result<policy::HiddenNames> ShippedData::hiddenNames() const
{
    REVET_ASSIGN_OR_RETURN(const auto text,
                           readText(m_installation.share / (std::string("tables/hidden") + kCompiled)));
    return policy::HiddenNames::parse(text);
}

Result<policy::EnvironmentTable> ShippedData::readEnvironment() const
{
    REVET_ASSIGN_OR_RETURN(const auto text,
                           readText(m_installation.share / (std::string("tables/environment") + kCompiled)));
    return policy::EnvironmentTable::parse(text);
}

Result<policy::ProfileSet> ShippedData::readProfiles() const
{
    NamedTexts texts;
    REVET_RETURN_IF_ERROR(addProfiles(m_installation.share / "profiles", kCompiled, texts));
    REVET_RETURN_IF_ERROR(addProfiles(m_places.config / "profiles", ".toml", texts));
    return policy::ProfileSet::load(texts);
}

} // namespace revet::session
