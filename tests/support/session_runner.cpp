// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/support/session_runner.h"

#include <QProcess>
#include <QProcessEnvironment>
#include <QTest>

#include <algorithm>
#include <iterator>
#include <utility>

namespace revet::test {

namespace {

constexpr int kKillWaitMilliseconds = 5000;

QString toQt(const std::string& text)
{
    return QString::fromStdString(text);
}

QProcessEnvironment environmentOf(const TempHome& home, const std::map<std::string, std::string>& changes)
{
    QProcessEnvironment environment;
    for (const auto& [name, value] : home.environment()) {
        environment.insert(toQt(name), toQt(value));
    }
    for (const auto& [name, value] : changes) {
        if (value.empty()) {
            environment.remove(toQt(name));
        } else {
            environment.insert(toQt(name), toQt(value));
        }
    }
    return environment;
}

int shellStatus(const QProcess& process, int waitedSignal)
{
    return process.exitStatus() == QProcess::NormalExit ? process.exitCode() : 128 + waitedSignal;
}

Finished start(const TempHome& home, const std::string& program, const std::vector<std::string>& arguments,
               const RunOptions& options)
{
    QProcess process;
    process.setProcessEnvironment(environmentOf(home, options.environment));
    process.setWorkingDirectory(toQt(options.directory.empty() ? home.project() : options.directory));
    QStringList list;
    std::transform(arguments.begin(), arguments.end(), std::back_inserter(list), toQt);
    if (options.input.empty()) {
        process.setStandardInputFile(QProcess::nullDevice());
    }
    process.start(toQt(program), list);
    if (!process.waitForStarted()) {
        return {-1, false, {}, process.errorString().toStdString()};
    }
    if (!options.input.empty()) {
        process.write(options.input.data(), static_cast<qint64>(options.input.size()));
        process.closeWriteChannel();
    }
    Finished finished;
    if (!process.waitForFinished(static_cast<int>(options.timeout.count()))) {
        finished.timedOut = true;
        process.kill();
        process.waitForFinished(kKillWaitMilliseconds);
    } else {
        // After a crash Qt's exitCode() is the signal's number.
        finished.status = shellStatus(process, process.exitCode());
    }
    finished.out = process.readAllStandardOutput().toStdString();
    finished.err = process.readAllStandardError().toStdString();
    return finished;
}

void failTest(const std::string& why)
{
    // QFAIL returns from the slot that it stands in; here the slot is the caller's.
    QTest::qFail(why.c_str(), __FILE__, __LINE__);
}

} // namespace

SessionRunner::SessionRunner(const TempHome& home)
    : m_home(home)
{
}

std::string SessionRunner::program(const std::string& name)
{
    return std::string(REVET_PROGRAM_DIRECTORY) + '/' + name;
}

std::string SessionRunner::editedRevet()
{
    return REVET_EDITED_DIRECTORY "/bin/revet";
}

Finished SessionRunner::revet(const std::vector<std::string>& arguments, const RunOptions& options) const
{
    if (options.without.empty()) {
        return start(m_home, program("revet"), arguments, options);
    }
    RunOptions edited = options;
    std::string& steps = edited.environment["REVET_TEST_WITHOUT"];
    for (const std::string& step : options.without) {
        steps += step + '\n';
    }
    return start(m_home, editedRevet(), arguments, edited);
}

Finished SessionRunner::run(const std::string& tier, const std::vector<std::string>& command,
                            const std::vector<std::string>& extra, const RunOptions& options) const
{
    std::vector<std::string> arguments{"run", "--tier", tier};
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    arguments.emplace_back("--");
    arguments.insert(arguments.end(), command.begin(), command.end());
    return revet(arguments, options);
}

Finished SessionRunner::runScript(const std::string& tier, const std::string& script,
                                  const std::vector<std::string>& extra, const RunOptions& options) const
{
    return run(tier, {"sh", "-c", script}, extra, options);
}

Finished SessionRunner::bare(const std::vector<std::string>& command, const RunOptions& options) const
{
    return start(m_home, command.at(0), {command.begin() + 1, command.end()}, options);
}

std::vector<nlohmann::json> SessionRunner::list(std::vector<std::string> arguments) const
{
    arguments.emplace_back("--json");
    const Finished finished = revet(arguments);
    if (finished.status != 0) {
        failTest("revet " + arguments.at(0) + " ended with " + std::to_string(finished.status) + ": "
                 + finished.err);
        return {};
    }
    std::vector<nlohmann::json> rows;
    std::string_view rest = finished.out;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        nlohmann::json row = nlohmann::json::parse(line, nullptr, false);
        if (!row.is_object() || row.value("schema", "") != "revet.v1") {
            failTest("not a line of revet.v1: " + std::string(line));
            return {};
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

std::string SessionRunner::lastSession() const
{
    // Times are RFC 3339 in UTC with microseconds, so they sort as text.
    const std::vector<nlohmann::json> sessions = list({"ps", "--all"});
    const auto last = std::max_element(sessions.begin(), sessions.end(),
                                       [](const nlohmann::json& left, const nlohmann::json& right) {
                                           return left.value("started", "") < right.value("started", "");
                                       });
    if (last == sessions.end()) {
        failTest("there is no session");
        return {};
    }
    return last->value("session", "");
}

std::vector<nlohmann::json> SessionRunner::lastEvents() const
{
    return list({"log", lastSession()});
}

std::vector<nlohmann::json> matching(const std::vector<nlohmann::json>& rows, const nlohmann::json& pattern)
{
    std::vector<nlohmann::json> found;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(found), [&](const nlohmann::json& row) {
        return std::all_of(pattern.items().begin(), pattern.items().end(), [&](const auto& wanted) {
            return row.contains(wanted.key()) && row.at(wanted.key()) == wanted.value();
        });
    });
    return found;
}

} // namespace revet::test
