// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/git_library.h"

#include <git2.h>

namespace revet::workspace {

namespace {

class Library
{
public:
    Library()
        : m_isReady(::git_libgit2_init() > 0)
    {
        for (const git_config_level_t level : {GIT_CONFIG_LEVEL_PROGRAMDATA, GIT_CONFIG_LEVEL_SYSTEM,
                                               GIT_CONFIG_LEVEL_XDG, GIT_CONFIG_LEVEL_GLOBAL}) {
            m_isReady = m_isReady && ::git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, level, "") == 0;
        }
    }
    ~Library() { ::git_libgit2_shutdown(); }
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;
    Library(Library&&) = delete;
    Library& operator=(Library&&) = delete;

    [[nodiscard]] bool isReady() const { return m_isReady; }

private:
    bool m_isReady;
};

} // namespace

Result<void> startGit()
{
    static const Library library;
    return library.isReady() ? Result<void>() : fail(ErrorCode::Unavailable, "start libgit2");
}

tl::unexpected<Error> failGit(std::string operation)
{
    const git_error* const error = ::git_error_last();
    return fail(ErrorCode::System, std::move(operation), error == nullptr ? "" : error->message);
}

std::string hexOf(const git_oid& id)
{
    std::string hex(GIT_OID_HEXSZ, '\0');
    ::git_oid_fmt(hex.data(), &id);
    return hex;
}

GitRepository openWorkTree(int workTree)
{
    git_repository* repository = nullptr;
    const std::string path = "/proc/self/fd/" + std::to_string(workTree);
    const bool isOpen
        = ::git_repository_open_ext(&repository, path.c_str(), GIT_REPOSITORY_OPEN_NO_SEARCH, nullptr) == 0;
    return GitRepository(isOpen ? repository : nullptr);
}

void FreeGit::operator()(git_odb* odb) const noexcept
{
    ::git_odb_free(odb);
}

void FreeGit::operator()(git_repository* repository) const noexcept
{
    ::git_repository_free(repository);
}

} // namespace revet::workspace
