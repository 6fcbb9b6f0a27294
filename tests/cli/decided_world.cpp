// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/cli/decided_world.h"

#include <QTest>

#include <sstream>

namespace revet::test {

void DecidedWorld::beginRepository()
{
    m_world = std::make_unique<World>();
    m_world->makeRepository();
    m_main = git("symbolic-ref --short HEAD");
    m_first = git("rev-parse HEAD");
}

void DecidedWorld::box(const std::string& script)
{
    const Finished finished = m_world->runner().runScript("container", script);
    QVERIFY2(finished.status == 0, finished.err.c_str());
    m_id = m_world->runner().lastSession();
}

Finished DecidedWorld::apply(const std::vector<std::string>& extra) const
{
    std::vector<std::string> arguments{"apply", m_id};
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    Finished finished = revet(arguments);
    if (finished.status != 0) {
        QTest::qFail((finished.out + finished.err).c_str(), __FILE__, __LINE__);
    }
    return finished;
}

void DecidedWorld::isWhole() const
{
    const Finished checked = m_world->runner().bare({"git", "fsck", "--strict", "--no-dangling"});
    QVERIFY2(checked.status == 0 && checked.out.empty() && checked.err.find("error") == std::string::npos,
             (checked.out + checked.err).c_str());
}

std::string DecidedWorld::state() const
{
    const auto rows = matching(m_world->runner().list({"ps", "--all"}), {{"session", m_id}});
    return rows.empty() ? "" : rows.front().value("state", "");
}

Finished DecidedWorld::revet(const std::vector<std::string>& arguments) const
{
    return m_world->runner().revet(arguments);
}

std::string DecidedWorld::git(const std::string& arguments) const
{
    return withoutEnd(m_world->runner().bare({"sh", "-c", "git " + arguments + " 2>&1"}).out);
}

std::string told(const Finished& finished)
{
    std::string text;
    std::istringstream lines(finished.out);
    for (std::string line; std::getline(lines, line);) {
        const nlohmann::json row = nlohmann::json::parse(line);
        text += (text.empty() ? "" : "; ") + row.value("outcome", "") + ' ' + row.value("path", "");
    }
    return text;
}

std::string withoutEnd(std::string text)
{
    while (text.ends_with('\n')) {
        text.pop_back();
    }
    return text;
}

} // namespace revet::test
