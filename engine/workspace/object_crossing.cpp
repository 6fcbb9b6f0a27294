// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/object_crossing.h"

#include "engine/base/scope_exit.h"
#include "engine/workspace/staging.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include <fcntl.h>
#include <git2.h>
#include <sys/stat.h>
#include <unistd.h>

#include <git2/sys/odb_backend.h>
#include <git2/sys/repository.h>

namespace revet::workspace {

namespace {

namespace fs = std::filesystem;
using policy::GitLink;
using policy::GitObjectType;

/// One that is larger is not read into memory for a box.
constexpr std::size_t kLargestObject = std::size_t{512} << 20U;
constexpr std::size_t kMostObjects = 2'000'000;
constexpr std::size_t kFolderHex = 2;
constexpr mode_t kReadOnly = 0444;

constexpr std::array kTypes
    = {std::pair{GitObjectType::Commit, GIT_OBJECT_COMMIT}, std::pair{GitObjectType::Tree, GIT_OBJECT_TREE},
       std::pair{GitObjectType::Blob, GIT_OBJECT_BLOB}, std::pair{GitObjectType::Tag, GIT_OBJECT_TAG}};

git_oid oidOf(const std::string& id)
{
    git_oid oid = {};
    std::copy_n(id.begin(), std::min(id.size(), std::size_t{GIT_OID_RAWSZ}), std::begin(oid.id));
    return oid;
}

std::string idOf(const std::string& hex)
{
    git_oid oid = {};
    ::git_oid_fromstrn(&oid, hex.data(), hex.size());
    return {std::begin(oid.id), std::end(oid.id)};
}

bool isHex(std::string_view text)
{
    return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

tl::unexpected<Error> cannotCross(ErrorCode code, const std::string& id, std::string why)
{
    return fail(code, "take over object " + hexOf(oidOf(id)), std::move(why));
}

Result<void> copyLoose(const UniqueFd& file, const fs::path& folder, const std::string& name)
{
    std::error_code error;
    fs::create_directories(folder, error);
    const UniqueFd directory(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    Entry wanted;
    wanted.mode = kReadOnly;
    wanted.type = EntryType::File;
    const auto staged = stageFile({directory.get(), name}, file, wanted, -1);
    return staged ? Result<void>() : fail(staged.error());
}

/// Makes an index of our own; the indexer hashes every object.
Result<void> indexPack(const UniqueFd& file, const fs::path& folder)
{
    git_indexer* made = nullptr;
    if (::git_indexer_new(&made, folder.c_str(), kReadOnly, nullptr, nullptr) != 0) {
        return failGit("read a pack");
    }
    const ScopeExit freed([made] { ::git_indexer_free(made); });
    git_indexer_progress progress = {};
    std::vector<char> bytes(std::size_t{1} << 20U);
    for (;;) {
        const ssize_t count = ::read(file.get(), bytes.data(), bytes.size());
        if (count < 0) {
            return failErrno("read a pack");
        }
        if (count == 0) {
            break;
        }
        if (::git_indexer_append(made, bytes.data(), static_cast<std::size_t>(count), &progress) != 0) {
            return failGit("read a pack");
        }
    }
    return ::git_indexer_commit(made, &progress) == 0 ? Result<void>() : failGit("read a pack");
}

Result<void> addLoose(git_odb* odb, const fs::path& directory, int priority)
{
    git_odb_backend* backend = nullptr;
    if (::git_odb_backend_loose(&backend, directory.c_str(), -1, 0, 0, 0) != 0
        || ::git_odb_add_backend(odb, backend, priority) != 0) {
        return failGit("open objects");
    }
    return {};
}

Result<void> addPacked(git_odb* odb, const fs::path& directory)
{
    git_odb_backend* backend = nullptr;
    if (::git_odb_backend_pack(&backend, directory.c_str()) != 0
        || ::git_odb_add_backend(odb, backend, 1) != 0) {
        return failGit("open objects");
    }
    return {};
}

} // namespace

Result<void> ObjectCrossing::takeIn(ChangeSource& source, const std::vector<const Change*>& changes) const
{
    for (const Change* const change : changes) {
        if (change->after.type != EntryType::File || !change->path.starts_with(m_objects + '/')) {
            continue;
        }
        const std::string inside = change->path.substr(m_objects.size() + 1);
        const std::size_t slash = inside.find('/');
        const std::string folder = inside.substr(0, slash);
        const std::string name = slash == std::string::npos ? "" : inside.substr(slash + 1);
        const bool isLoose = folder.size() == kFolderHex && isHex(folder) && isHex(name)
            && name.size() == GIT_OID_HEXSZ - kFolderHex;
        const bool isPack = folder == "pack" && name.find('/') == std::string::npos
            && name.starts_with("pack-") && name.ends_with(".pack");
        if (!isLoose && !isPack) {
            continue;
        }
        REVET_ASSIGN_OR_RETURN(const UniqueFd file, source.openAfter(*change));
        if (isLoose) {
            REVET_RETURN_IF_ERROR(copyLoose(file, m_in / folder, name));
        } else {
            // One that is no pack has nothing that could be missed.
            static_cast<void>(indexPack(file, m_in / "pack"));
        }
    }
    return {};
}

Result<void> ObjectCrossing::openStores()
{
    git_odb* host = nullptr;
    const std::string objects = "/proc/self/fd/" + std::to_string(m_tree) + '/' + m_objects;
    if (::git_odb_open(&host, objects.c_str()) != 0) {
        return failGit("open the host's objects");
    }
    m_host.reset(host);
    git_odb* all = nullptr;
    git_odb* box = nullptr;
    git_odb* outgoing = nullptr;
    const bool isMade = ::git_odb_open(&all, objects.c_str()) == 0 && ::git_odb_new(&box) == 0
        && ::git_odb_new(&outgoing) == 0;
    m_all.reset(all);
    m_box.reset(box);
    m_outgoing.reset(outgoing);
    if (!isMade) {
        return failGit("open objects");
    }
    // What is written goes to the one of the highest priority.
    constexpr int kFirst = 100;
    REVET_RETURN_IF_ERROR(addLoose(outgoing, m_out, kFirst));
    REVET_RETURN_IF_ERROR(addLoose(all, m_out, kFirst));
    REVET_RETURN_IF_ERROR(addLoose(box, m_out, kFirst));
    REVET_RETURN_IF_ERROR(addLoose(box, m_in, 1));
    REVET_RETURN_IF_ERROR(addPacked(box, m_in));
    git_repository* repository = nullptr;
    git_config* nothing = nullptr;
    if (::git_repository_wrap_odb(&repository, all) != 0) {
        return failGit("open objects");
    }
    m_repository.reset(repository);
    if (::git_config_new(&nothing) != 0 || ::git_repository_set_config(repository, nothing) != 0) {
        return failGit("open objects");
    }
    ::git_config_free(nothing);
    return {};
}

Result<ObjectCrossing> ObjectCrossing::open(ChangeSource& source, const std::vector<const Change*>& changes,
                                            int tree, const std::string& objects, const fs::path& scratch)
{
    REVET_RETURN_IF_ERROR(startGit());
    ObjectCrossing crossing(tree, objects, scratch);
    std::error_code error;
    fs::create_directories(crossing.m_in / "pack", error);
    fs::create_directories(crossing.m_out, error);
    REVET_RETURN_IF_ERROR(crossing.takeIn(source, changes));
    REVET_RETURN_IF_ERROR(crossing.openStores());
    return crossing;
}

bool ObjectCrossing::hostHas(const std::string& id) const
{
    const git_oid oid = oidOf(id);
    return ::git_odb_exists(m_host.get(), &oid) != 0;
}

Result<void> ObjectCrossing::checkModules(const std::string& id) const
{
    const git_oid oid = oidOf(id);
    git_odb_object* object = nullptr;
    if (::git_odb_read(&object, m_outgoing.get(), &oid) != 0) {
        return failGit("read .gitmodules");
    }
    const ScopeExit freed([object] { ::git_odb_object_free(object); });
    const std::string_view text(static_cast<const char*>(::git_odb_object_data(object)),
                                ::git_odb_object_size(object));
    return policy::areHarmlessModules(text)
        ? Result<void>()
        : cannotCross(ErrorCode::Malformed, id, "a .gitmodules that git would refuse");
}

Result<std::vector<GitLink>> ObjectCrossing::take(const GitLink& link)
{
    if (m_fetched.size() >= kMostObjects) {
        return cannotCross(ErrorCode::LimitExceeded, link.id, "there are too many objects");
    }
    const git_oid oid = oidOf(link.id);
    std::size_t size = 0;
    git_object_t type = GIT_OBJECT_INVALID;
    if (::git_odb_read_header(&size, &type, m_box.get(), &oid) != 0) {
        return cannotCross(ErrorCode::NotFound, link.id, "it is missing");
    }
    if (size > kLargestObject) {
        return cannotCross(ErrorCode::LimitExceeded, link.id, "it is too large");
    }
    git_odb_object* object = nullptr;
    if (::git_odb_read(&object, m_box.get(), &oid) != 0) {
        return cannotCross(ErrorCode::Malformed, link.id, "it is damaged");
    }
    const ScopeExit freed([object] { ::git_odb_object_free(object); });
    const auto* const found
        = std::ranges::find(kTypes, ::git_odb_object_type(object), &decltype(kTypes)::value_type::second);
    if (found == kTypes.end() || found->first != link.type) {
        return cannotCross(ErrorCode::Malformed, link.id, "it is of another type than what names it says");
    }
    const auto* const data = static_cast<const char*>(::git_odb_object_data(object));
    const std::string_view bytes(data, ::git_odb_object_size(object));
    REVET_ASSIGN_OR_RETURN(std::vector<GitLink> links, policy::readGitObject(link.type, bytes));
    git_oid written = {};
    if (::git_odb_write(&written, m_outgoing.get(), data, bytes.size(), found->second) != 0) {
        return failGit("write an object");
    }
    if (::git_oid_equal(&written, &oid) == 0) {
        return cannotCross(ErrorCode::Malformed, link.id, "it has another object's name");
    }
    return links;
}

Result<GitObjectType> ObjectCrossing::fetch(const std::string& hex)
{
    GitLink top{idOf(hex), GitObjectType::Commit, false};
    const git_oid oid = oidOf(top.id);
    std::size_t size = 0;
    git_object_t type = GIT_OBJECT_INVALID;
    if (::git_odb_read_header(&size, &type, hostHas(top.id) ? m_host.get() : m_box.get(), &oid) != 0) {
        return cannotCross(ErrorCode::NotFound, top.id, "it is missing");
    }
    const auto* const found = std::ranges::find(kTypes, type, &decltype(kTypes)::value_type::second);
    if (found == kTypes.end()) {
        return cannotCross(ErrorCode::Malformed, top.id, "it is of no type");
    }
    top.type = found->first;
    struct Frame
    {
        std::string id;
        std::vector<GitLink> links;
        std::size_t next = 0;
    };
    // What an object needs comes before it; by hand, since a box makes trees as deep as it likes.
    std::vector<Frame> stack{{{}, {top}, 0}};
    while (!stack.empty()) {
        Frame& frame = stack.back();
        if (frame.next == frame.links.size()) {
            std::vector<std::string> needed;
            for (const GitLink& link : frame.links) {
                needed.push_back(link.id);
            }
            if (!frame.id.empty()) {
                m_order.push_back(frame.id);
                m_fetched.emplace(frame.id, std::move(needed));
            }
            stack.pop_back();
            continue;
        }
        const GitLink link = frame.links[frame.next++];
        if (hostHas(link.id)) {
            continue;
        }
        if (!m_fetched.contains(link.id)) {
            REVET_ASSIGN_OR_RETURN(std::vector<GitLink> links, take(link));
            stack.push_back({link.id, std::move(links), 0});
        }
        if (link.isModules) {
            REVET_RETURN_IF_ERROR(checkModules(link.id));
        }
    }
    return top.type;
}

bool ObjectCrossing::isHosts(const std::string& id) const
{
    return hostHas(idOf(id));
}

bool ObjectCrossing::reaches(const std::string& newer, const std::string& older) const
{
    const git_oid to = oidOf(idOf(newer));
    const git_oid from = oidOf(idOf(older));
    return newer == older || ::git_graph_descendant_of(m_repository.get(), &to, &from) == 1;
}

Result<void> ObjectCrossing::placeOne(const std::string& id) const
{
    const std::string hex = hexOf(oidOf(id));
    const std::string folder = m_objects + '/' + hex.substr(0, kFolderHex);
    const std::string name = hex.substr(kFolderHex);
    const fs::path made = m_out / hex.substr(0, kFolderHex) / name;
    const UniqueFd content(::open(made.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (!content) {
        return failErrno("open an object");
    }
    Result<Parent> parent = openParent(m_tree, folder + '/' + name);
    if (!parent && parent.error().code != ErrorCode::Refused) {
        REVET_ASSIGN_OR_RETURN(const Parent above, openParent(m_tree, folder));
        if (::mkdirat(above.directory.get(), above.name.c_str(), 0777) != 0 && errno != EEXIST) {
            return failErrno("make a directory for objects");
        }
        parent = openParent(m_tree, folder + '/' + name);
    }
    if (!parent) {
        return fail(std::move(parent).error());
    }
    const int directory = parent->directory.get();
    const std::string temporary = "tmp_obj_" + name; // git clears these away if we are killed
    static_cast<void>(::unlinkat(directory, temporary.c_str(), 0));
    Entry wanted;
    wanted.mode = kReadOnly;
    wanted.type = EntryType::File;
    REVET_ASSIGN_OR_RETURN(const Entry staged, stageFile({directory, temporary}, content, wanted, -1));
    static_cast<void>(staged);
    if (::renameat2(directory, temporary.c_str(), directory, name.c_str(), RENAME_NOREPLACE) != 0) {
        const int error = errno;
        static_cast<void>(::unlinkat(directory, temporary.c_str(), 0));
        return error == EEXIST ? Result<void>()
                               : fail(Error::fromErrno("write an object", error)); // git was faster
    }
    return {};
}

Result<void> ObjectCrossing::place(const std::vector<std::string>& ids) const
{
    std::vector<std::string> open;
    open.reserve(ids.size());
    for (const std::string& hex : ids) {
        open.push_back(idOf(hex));
    }
    std::unordered_set<std::string> wanted;
    while (!open.empty()) {
        const auto found = m_fetched.find(open.back());
        open.pop_back();
        if (found != m_fetched.end() && wanted.insert(found->first).second) {
            open.insert(open.end(), found->second.begin(), found->second.end());
        }
    }
    if (wanted.empty()) {
        return {};
    }
    // What is needed comes first: whatever is there when we are killed is whole.
    for (const std::string& id : m_order) {
        if (wanted.contains(id)) {
            REVET_RETURN_IF_ERROR(placeOne(id));
        }
    }
    REVET_ASSIGN_OR_RETURN(const UniqueFd objects, openDirectory(m_tree, m_objects));
    return ::syncfs(objects.get()) == 0 ? Result<void>() : failErrno("write objects to the disk");
}

} // namespace revet::workspace
