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

Result<std::string> readTableText(const fs::path& share, const char* name)
{
    return readText(share / "tables" / (std::string(name) + kCompiled));
}

template<typename Table>
Result<Table> readTable(const fs::path& share, const char* name)
{
    REVET_ASSIGN_OR_RETURN(const auto text, readTableText(share, name));
    return Table::parse(text);
}

Result<policy::EnvironmentTable> readEnvironment(const fs::path& share)
{
    return readTable<policy::EnvironmentTable>(share, "environment");
}

Result<policy::ProfileSet> readProfiles(const fs::path& share, const fs::path& config)
{
    NamedTexts texts;
    REVET_RETURN_IF_ERROR(addProfiles(share / "profiles", kCompiled, texts));
    REVET_RETURN_IF_ERROR(addProfiles(config / "profiles", ".toml", texts));
    return policy::ProfileSet::load(texts);
}

/// Gives up what has been read already.
template<typename Table, typename Read>
Result<Table> takeOrRead(std::optional<Table>& ahead, Read read)
{
    return ahead ? Result<Table>(*std::exchange(ahead, std::nullopt)) : read();
}

} // namespace

Result<void> ShippedData::preload()
{
    REVET_ASSIGN_OR_RETURN(m_environment, readEnvironment(m_installation.share));
    REVET_ASSIGN_OR_RETURN(m_profiles, readProfiles(m_installation.share, m_places.config));
    return {};
}

Result<policy::EnvironmentTable> ShippedData::environment()
{
    return takeOrRead(m_environment, [this] { return readEnvironment(m_installation.share); });
}

Result<policy::ProfileSet> ShippedData::profiles()
{
    return takeOrRead(m_profiles, [this] { return readProfiles(m_installation.share, m_places.config); });
}

Result<policy::RunLaterTable> ShippedData::runLater() const
{
    return readTable<policy::RunLaterTable>(m_installation.share, "run-later");
}

Result<policy::BuildOutputTable> ShippedData::buildOutput() const
{
    return readTable<policy::BuildOutputTable>(m_installation.share, "build-output");
}

Result<policy::HiddenNames> ShippedData::hiddenNames() const
{
    return readTable<policy::HiddenNames>(m_installation.share, "hidden");
}

Result<policy::HiddenTable> ShippedData::hidden(const std::string& home) const
{
    REVET_ASSIGN_OR_RETURN(const auto text, readTableText(m_installation.share, "hidden"));
    return policy::HiddenTable::parse(text, {home, m_places.runtime.parent_path().string()});
}

} // namespace revet::session
