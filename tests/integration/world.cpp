// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/world.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <sstream>
#include <system_error>

#include <sys/stat.h>
#include <sys/xattr.h>

namespace revet::test {

namespace fs = std::filesystem;

namespace {

constexpr const char* kVictimFolder = "victims";
constexpr std::size_t kMostEventsShown = 40;

void failTest(const std::string& why)
{
    QTest::qFail(why.c_str(), __FILE__, __LINE__);
}

bool isAnyOf(const std::vector<std::string>& wanted, const std::string& value)
{
    return wanted.empty() || std::find(wanted.begin(), wanted.end(), value) != wanted.end();
}

bool matches(const nlohmann::json& event, const EventPattern& pattern)
{
    return isAnyOf(pattern.kinds, event.value("kind", ""))
        && isAnyOf(pattern.verdicts, event.value("verdict", ""))
        && (pattern.target.empty() || event.value("target", "").find(pattern.target) != std::string::npos
            || event.value("other", "").find(pattern.target) != std::string::npos);
}

std::string describe(const EventPattern& pattern)
{
    std::string text;
    for (const std::vector<std::string>& words : {pattern.kinds, pattern.verdicts}) {
        for (const std::string& word : words) {
            text += word + ' ';
        }
    }
    return text + "of " + pattern.target;
}

std::string missingEventIn(const std::vector<nlohmann::json>& events, const EventPattern& pattern)
{
    if (std::any_of(events.begin(), events.end(),
                    [&](const nlohmann::json& event) { return matches(event, pattern); })) {
        return {};
    }
    std::string text = "no event " + describe(pattern) + " among " + std::to_string(events.size()) + ":\n";
    const std::size_t first = events.size() > kMostEventsShown ? events.size() - kMostEventsShown : 0;
    for (std::size_t i = first; i < events.size(); ++i) {
        text += events.at(i).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
    }
    return text;
}

std::string describe(const fs::path& path)
{
    struct stat status = {};
    if (::lstat(path.c_str(), &status) != 0) {
        return "gone";
    }
    std::ostringstream text;
    text << std::oct << status.st_mode << ' ';
    if (S_ISLNK(status.st_mode)) {
        std::error_code error;
        text << fs::read_symlink(path, error).string();
    } else if (S_ISREG(status.st_mode) && (status.st_mode & S_IRUSR) != 0) {
        text << readFile(path);
    }
    return text.str();
}

} // namespace

World::World()
    : m_runner(m_home)
{
}

std::string World::victim(const std::string& name) const
{
    const fs::path copy = project() / kVictimFolder / name;
    std::error_code error;
    if (!fs::exists(copy, error)) {
        fs::create_directories(copy.parent_path(), error);
        fs::copy_file(fs::path(REVET_VICTIM_DIRECTORY) / name, copy, error);
        if (error) {
            failTest("cannot copy the victim " + name + ": " + error.message());
        }
    }
    return copy;
}

Finished World::deed(const std::string& tier, const std::string& victim,
                     const std::vector<std::string>& arguments, const std::vector<std::string>& extra,
                     const RunOptions& options) const
{
    std::vector<std::string> command{this->victim(victim)};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return m_runner.run(tier, command, extra, options);
}

Finished World::bareDeed(const std::string& victim, const std::vector<std::string>& arguments,
                         const RunOptions& options) const
{
    std::vector<std::string> command{this->victim(victim)};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return m_runner.bare(command, options);
}

void World::prepare(const std::string& script) const
{
    const Finished finished = m_runner.bare({"/bin/sh", "-ec", script});
    if (finished.status != 0) {
        failTest("preparation failed: " + script + "\n" + finished.out + finished.err);
    }
}

void World::makeRepository() const
{
    prepare(
        "git init -q -b main . && git config user.name Tester && git config user.email tester@example.org "
        "&& echo text > tracked && printf '/%s/\n' victims > .git/info/exclude "
        "&& git add tracked && git commit -q -m first");
}

void addTierRows()
{
    QTest::addColumn<QString>("tier");
    QTest::newRow("sandbox") << QStringLiteral("sandbox");
    QTest::newRow("container") << QStringLiteral("container");
}

void addTierRows(const char* column, const std::vector<std::string>& words)
{
    QTest::addColumn<QString>("tier");
    QTest::addColumn<QString>(column);
    for (const std::string tier : {"sandbox", "container"}) {
        for (const std::string& word : words) {
            QTest::newRow((tier + ' ' + word).c_str())
                << QString::fromStdString(tier) << QString::fromStdString(word);
        }
    }
}

std::string fetched(const char* column)
{
    return static_cast<const QString*>(QTest::qData(column, qMetaTypeId<QString>()))->toStdString();
}

Results resultsOf(const Finished& finished)
{
    Results results;
    std::istringstream lines(finished.out);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t space = line.rfind(' ');
        if (space != std::string::npos) {
            results[line.substr(0, space)] = line.substr(space + 1);
        }
    }
    return results;
}

std::string otherThan(const Finished& finished, const std::vector<std::string>& allowed)
{
    const Results results = resultsOf(finished);
    std::string wrong;
    for (const auto& [what, result] : results) {
        if (!isAnyOf(allowed, result)) {
            wrong += what + ' ' + result + '\n';
        }
    }
    if (results.empty()) {
        wrong = "the victim said nothing; status " + std::to_string(finished.status);
    }
    return wrong.empty() ? wrong : wrong + finished.err;
}

std::string missingEvent(const World& world, const EventPattern& pattern)
{
    return missingEventIn(world.runner().lastEvents(), pattern);
}

std::string missingEvents(const World& world, EventPattern pattern, const std::vector<std::string>& targets)
{
    const std::vector<nlohmann::json> events = world.runner().lastEvents();
    std::string missing;
    for (const std::string& target : targets) {
        pattern.target = target;
        missing += missingEventIn(events, pattern);
    }
    return missing;
}

std::string text(const Finished& finished)
{
    return finished.out + finished.err;
}

std::string wrongWith(const Finished& finished, const std::string& said)
{
    return finished.status == 0 && finished.out.find(said) != std::string::npos
        ? std::string()
        : "not '" + said + "': " + text(finished);
}

Snapshot snapshot(const fs::path& top)
{
    Snapshot result;
    std::error_code error;
    // What a box has closed to all is left out; what comes behind it is not.
    fs::recursive_directory_iterator entry(top, fs::directory_options::skip_permission_denied, error);
    for (const fs::recursive_directory_iterator end; entry != end; entry.increment(error)) {
        if (entry.depth() == 0 && entry->path().filename() == kVictimFolder) {
            entry.disable_recursion_pending();
            continue;
        }
        result[entry->path().lexically_relative(top)] = describe(entry->path());
    }
    return result;
}

std::string differences(const Snapshot& before, const Snapshot& after)
{
    std::string text;
    for (const auto& [path, state] : before) {
        const auto found = after.find(path);
        if (found == after.end()) {
            text += "gone: " + path + '\n';
        } else if (found->second != state) {
            text += "changed: " + path + '\n';
        }
    }
    for (const auto& [path, state] : after) {
        if (before.find(path) == before.end()) {
            text += "new: " + path + '\n';
        }
    }
    return text;
}

std::string accessListFor(unsigned user)
{
    struct Entry
    {
        std::uint16_t tag;
        std::uint16_t permissions;
        std::uint32_t id;
    };
    constexpr std::uint32_t kNobody = UINT32_MAX;
    // The owner, that user, the group, the mask, everybody: posix_acl_xattr.h of the kernel.
    const std::array<Entry, 5> entries{
        {{0x01, 6, kNobody}, {0x02, 6, user}, {0x04, 4, kNobody}, {0x10, 6, kNobody}, {0x20, 4, kNobody}}};
    std::string list("\2\0\0\0", 4);
    return list.append(reinterpret_cast<const char*>(entries.data()), sizeof entries);
}

std::string accessListOf(const std::filesystem::path& file)
{
    std::string list(256, '\0');
    const ssize_t size = ::getxattr(file.c_str(), kAccessList, list.data(), list.size());
    list.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    return list;
}

} // namespace revet::test
