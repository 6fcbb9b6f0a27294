// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/demo_project.h"

#include "engine/domain/places.h"

#include <fstream>
#include <string_view>
#include <system_error>

namespace revet::cli {

namespace {

namespace fs = std::filesystem;

Result<void> check(const std::error_code& problem, const fs::path& path)
{
    if (problem) {
        return fail(Error::fromErrno("make the demo's " + path.string(), problem.value()));
    }
    return {};
}

Result<void> writeText(const fs::path& file, std::string_view text)
{
    std::ofstream stream(file, std::ios::binary);
    stream << text;
    stream.close();
    return stream ? Result<void>() : failErrno("write " + file.string());
}

/// What `git init` makes, as far as git wants to see it.
Result<void> makeRepository(const fs::path& gitdir)
{
    std::error_code problem;
    for (const char* const directory : {"objects/info", "objects/pack", "refs/heads", "refs/tags", "hooks"}) {
        fs::create_directories(gitdir / directory, problem);
        REVET_RETURN_IF_ERROR(check(problem, gitdir));
    }
    REVET_RETURN_IF_ERROR(writeText(gitdir / "HEAD", "ref: refs/heads/main\n"));
    return writeText(gitdir / "config",
                     "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n");
}

Result<void> emptyDirectory(const fs::path& directory)
{
    std::error_code problem;
    fs::remove_all(directory, problem);
    REVET_RETURN_IF_ERROR(check(problem, directory));
    return makePrivateDirectory(directory);
}

} // namespace

Result<DemoProject> makeDemoProject(const fs::path& source, const fs::path& cache)
{
    const DemoProject demo = {cache / "demo-project", cache / "demo-outside"};
    REVET_RETURN_IF_ERROR(makePrivateDirectory(cache));
    REVET_RETURN_IF_ERROR(emptyDirectory(demo.project));
    REVET_RETURN_IF_ERROR(emptyDirectory(demo.outside));
    std::error_code problem;
    fs::copy(source / "project", demo.project, fs::copy_options::recursive, problem);
    REVET_RETURN_IF_ERROR(check(problem, demo.project));
    fs::copy_file(source / "agent.sh", demo.project / "agent.sh", problem);
    REVET_RETURN_IF_ERROR(check(problem, demo.project));
    REVET_RETURN_IF_ERROR(makeRepository(demo.project / ".git"));
    REVET_RETURN_IF_ERROR(
        writeText(demo.outside / "private-key", "This stands for a private key of yours.\n"));
    return demo;
}

} // namespace revet::cli
