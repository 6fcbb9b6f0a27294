// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/project_settings.h"

#include "engine/base/unique_fd.h"
#include "engine/domain/error_line.h"
#include "engine/os/socket.h"
#include "engine/session/text_file.h"

#include <array>
#include <cerrno>
#include <optional>

#include <fcntl.h>
#include <sys/stat.h>

#include <sodium/crypto_generichash.h>
#include <sodium/utils.h>

namespace revet::session {

namespace {

constexpr std::size_t kMaximumSettingsBytes = std::size_t{64} * 1024;

/// The text of a regular file; nothing when there is none. Never follows a link: a repository's file is a
/// stranger's.
Result<std::optional<std::string>> readSettingsFile(const std::filesystem::path& file)
{
    const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
    if (!fd) {
        if (errno == ENOENT) {
            return std::optional<std::string>();
        }
        return failErrno("open " + file.string());
    }
    struct stat status = {};
    if (::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
        return fail(ErrorCode::Refused, "read " + file.string(), "it is not a regular file");
    }
    REVET_ASSIGN_OR_RETURN(std::string text, os::readAll(fd.get(), kMaximumSettingsBytes));
    return std::optional<std::string>(std::move(text));
}

/// A setting that nothing enforces yet must not look as if it held.
Result<policy::Settings> refuseUnbuilt(policy::Settings settings, const std::string& file)
{
    if (settings.limits != policy::Limits{}) {
        return fail(ErrorCode::Unavailable, "use limits of " + file,
                    "this version does not have them; take them out");
    }
    if (settings.tier && !isBuilt(*settings.tier)) {
        return fail(ErrorCode::Unavailable,
                    "use the tier " + std::string(toString(*settings.tier)) + " of " + file,
                    "this version does not have it; take it out");
    }
    return settings;
}

Result<policy::Settings> parsed(const std::string& text, const std::string& name)
{
    REVET_ASSIGN_OR_RETURN(policy::Settings settings, policy::parseSettings(text, name));
    return refuseUnbuilt(std::move(settings), name);
}

/// What counts of a file that nobody has vouched for. A box may have written it, and must not be able to keep
/// later ones from starting: what cannot be understood or done is ignored, and said.
policy::Settings takenOfUntrusted(const std::string& text, const policy::Settings& before,
                                  std::vector<std::string>& ignored)
{
    const Result<policy::Settings> repository = policy::parseSettings(text, kRepositoryFile);
    if (!repository) {
        ignored.push_back("all of it, " + errorLine(repository.error()));
        return {};
    }
    policy::Tightening tightening = policy::tightenedBy(before, *repository);
    ignored = std::move(tightening.ignored);
    if (tightening.taken.tier && !isBuilt(*tightening.taken.tier)) {
        ignored.push_back("tier, this version has no " + std::string(toString(*tightening.taken.tier)));
        tightening.taken.tier.reset();
    }
    Result<policy::Settings> taken = refuseUnbuilt(tightening.taken, kRepositoryFile);
    if (!taken) {
        ignored.push_back(errorLine(taken.error()));
        tightening.taken.limits = {};
    }
    return std::move(tightening.taken);
}

Result<policy::Settings> settingsIn(const std::filesystem::path& file)
{
    REVET_ASSIGN_OR_RETURN(const std::optional<std::string> text, readSettingsFile(file));
    return text ? parsed(*text, file.string()) : policy::Settings();
}

std::string contentHash(std::string_view content)
{
    std::array<unsigned char, crypto_generichash_BYTES> hash{};
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): libsodium takes unsigned bytes
    const auto* const bytes = reinterpret_cast<const unsigned char*>(content.data());
    crypto_generichash(hash.data(), hash.size(), bytes, content.size(), nullptr, 0);
    std::string text(2 * hash.size() + 1, '\0');
    sodium_bin2hex(text.data(), text.size(), hash.data(), hash.size());
    text.pop_back();
    return text;
}

Result<journal::ProjectRecord> registered(journal::Catalogue& catalogue, const std::string& project,
                                          const std::optional<journal::ProjectRecord>& known)
{
    if (known && !known->settingsFile.empty()) {
        return *known;
    }
    journal::ProjectRecord record;
    record.path = project;
    record.created = SystemClock().now();
    record.seen = record.created;
    struct stat status = {};
    if (::stat(project.c_str(), &status) != 0) {
        return failErrno("look at " + project);
    }
    record.device = status.st_dev;
    record.inode = status.st_ino;
    REVET_ASSIGN_OR_RETURN(record, catalogue.addProject(record));
    if (record.settingsFile.empty()) {
        record.settingsFile = std::to_string(record.id) + ".toml";
        REVET_RETURN_IF_ERROR(catalogue.updateProject(record));
    }
    return record;
}

Result<std::string> repositoryText(const std::string& project)
{
    REVET_ASSIGN_OR_RETURN(const std::optional<std::string> text,
                           readSettingsFile(std::filesystem::path(project) / kRepositoryFile));
    return text ? Result<std::string>(*text)
                : fail(ErrorCode::NotFound, std::string("find a ") + kRepositoryFile + " in " + project,
                       "there is nothing to trust");
}

std::filesystem::path ownFile(const Places& places, const journal::ProjectRecord& project)
{
    return places.config / "projects" / project.settingsFile;
}

} // namespace

Result<ProjectSettings> loadProjectSettings(const Places& places, journal::Catalogue& catalogue,
                                            const std::string& project)
{
    ProjectSettings result;
    REVET_ASSIGN_OR_RETURN(const auto known, catalogue.projectAt(project));
    result.isNew = !known.has_value();
    REVET_ASSIGN_OR_RETURN(result.project, registered(catalogue, project, known));
    REVET_ASSIGN_OR_RETURN(policy::Settings user, settingsIn(places.config / kUserFile));
    REVET_ASSIGN_OR_RETURN(result.own, settingsIn(ownFile(places, result.project)));
    std::vector<std::pair<std::string, policy::Settings>> layers
        = {{kUserFile, std::move(user)}, {"project", result.own}};

    const auto text = readSettingsFile(std::filesystem::path(project) / kRepositoryFile);
    if (!text) {
        result.repository = ProjectSettings::Repository::Untrusted;
        result.ignored.push_back("all of it, " + errorLine(text.error()));
    } else if (*text && contentHash(**text) == result.project.trustedHash) {
        result.repository = ProjectSettings::Repository::Trusted;
        REVET_ASSIGN_OR_RETURN(policy::Settings repository, parsed(**text, kRepositoryFile));
        // Below the person's own settings: trusted is not preferred.
        layers.insert(layers.begin() + 1, {kRepositoryFile, std::move(repository)});
    } else if (*text) {
        result.repository = ProjectSettings::Repository::Untrusted;
        layers.emplace_back(
            kRepositoryFile,
            takenOfUntrusted(**text, policy::mergeSettings(layers).settings(), result.ignored));
    }
    result.effective = policy::mergeSettings(layers);
    return result;
}

Result<void> changeProjectSettings(const Places& places, journal::Catalogue& catalogue,
                                   const std::string& project, const std::vector<std::string>& assignments)
{
    REVET_ASSIGN_OR_RETURN(const journal::ProjectRecord record, registered(catalogue, project, std::nullopt));
    REVET_ASSIGN_OR_RETURN(policy::Settings settings, settingsIn(ownFile(places, record)));
    for (const std::string& assignment : assignments) {
        REVET_RETURN_IF_ERROR(policy::applyAssignment(&settings, assignment));
    }
    REVET_ASSIGN_OR_RETURN(settings, refuseUnbuilt(std::move(settings), "the project's settings"));
    const std::filesystem::path file = ownFile(places, record);
    REVET_RETURN_IF_ERROR(makePrivateDirectory(file.parent_path()));
    return replaceFile(file, policy::toToml(settings));
}

Result<RepositoryOffer> repositoryOffer(const Places& places, journal::Catalogue& catalogue,
                                        const std::string& project)
{
    REVET_ASSIGN_OR_RETURN(const journal::ProjectRecord record, registered(catalogue, project, std::nullopt));
    REVET_ASSIGN_OR_RETURN(const std::string text, repositoryText(project));
    REVET_ASSIGN_OR_RETURN(policy::Settings user, settingsIn(places.config / kUserFile));
    REVET_ASSIGN_OR_RETURN(policy::Settings repository, parsed(text, kRepositoryFile));
    REVET_ASSIGN_OR_RETURN(policy::Settings own, settingsIn(ownFile(places, record)));
    return RepositoryOffer{contentHash(text),
                           policy::mergeSettings({{kUserFile, std::move(user)},
                                                  {kRepositoryFile, std::move(repository)},
                                                  {"project", std::move(own)}})};
}

Result<void> trustRepositorySettings(journal::Catalogue& catalogue, const std::string& project,
                                     const std::string& hash)
{
    REVET_ASSIGN_OR_RETURN(journal::ProjectRecord record, registered(catalogue, project, std::nullopt));
    REVET_ASSIGN_OR_RETURN(const std::string text, repositoryText(project));
    if (contentHash(text) != hash) {
        return fail(ErrorCode::Conflict, std::string("trust ") + kRepositoryFile,
                    "it is not what was looked at; look at it again");
    }
    record.trustedHash = hash;
    return catalogue.updateProject(record);
}

} // namespace revet::session
