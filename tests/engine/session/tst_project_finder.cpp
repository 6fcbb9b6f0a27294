// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/project_finder.h"
#include "tests/support/temp_home.h"

#include <QTest>

using namespace revet;
using test::writeFile;
namespace fs = std::filesystem;

/// What a project's own files may name as its repository: a tarball from anywhere can hold any of them.
class ProjectFinderTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_world = std::make_unique<test::TempHome>();
        m_home = fs::canonical(m_world->home());
        m_other = m_home / "other/.git";
        fs::create_directories(m_other / "objects");
        fs::create_directories(m_other / "refs");
        writeFile(m_other / "HEAD", "ref: refs/heads/main\n");
    }

    void followsARepositoryThatPointsBack()
    {
        point(m_other / "worktrees/tree", "../..");
        QCOMPARE(sideRoot(), m_other.string());
    }

    void takesNobodysWordForAnothersRepository()
    {
        point(m_home / "project/g", m_other.string());
        QCOMPARE(sideRoot(), std::string("refused"));
        point(m_home / "project/worktrees/g", m_other.string());
        QCOMPARE(sideRoot(), std::string("refused"));
    }

    void takesNoWorkTreesWordEither()
    {
        const fs::path gitdir = m_home / "project/g";
        point(gitdir, m_other.string());
        writeFile(gitdir / "gitdir", "elsewhere\n");
        writeFile(gitdir / "config", "[core]\n\tworktree = ..\n");
        QCOMPARE(sideRoot(), std::string("refused"));
    }

private:
    /// A gitdir of the project that says so itself.
    void point(const fs::path& gitdir, const std::string& common) const
    {
        writeFile(m_home / "project/.git", "gitdir: " + gitdir.string() + '\n');
        writeFile(gitdir / "HEAD", "ref: refs/heads/main\n");
        writeFile(gitdir / "gitdir", (m_home / "project/.git").string() + '\n');
        writeFile(gitdir / "commondir", common + '\n');
    }
    [[nodiscard]] std::string sideRoot() const
    {
        const Places places{m_home / "c", m_home / "d", m_home / "r", m_home / "k"};
        const auto found = session::findProject((m_home / "project").string(), "/", m_home.string(), places);
        if (!found) {
            return found.error().code == ErrorCode::Refused ? "refused" : toString(found.error());
        }
        return found->sideRoots.empty() ? "" : found->sideRoots.front();
    }

    std::unique_ptr<test::TempHome> m_world;
    fs::path m_home;
    fs::path m_other;
};

QTEST_APPLESS_MAIN(ProjectFinderTest)
#include "tst_project_finder.moc"
