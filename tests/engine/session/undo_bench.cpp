// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/engine/session/undo_bench.h"

#include "engine/workspace/direct_past.h"
#include "engine/workspace/history.h"
#include "engine/workspace/transaction.h"

#include <array>
#include <cstdio>
#include <cstring>

#include <sys/mman.h>

namespace revet::test {

namespace fs = std::filesystem;

std::string UndoBench::takeBack() const
{
    const auto session = changes();
    // Beside the project, on its mount.
    fs::permissions(broker.outside(), fs::perms::owner_all);
    workspace::ObjectPlace place;
    place.preImages = session->images().objects;
    const auto store = workspace::RecordStore::open(broker.outside() / "records", place);
    const auto records = store ? store->records() : fail(store.error());
    auto own = workspace::pastsOf(*session);
    if (!records || !own) {
        return toString(records ? own.error() : records.error());
    }
    const int tree = session->root().get();
    const workspace::History history(std::move(*own), *records);
    for (std::size_t skipped = 0;; ++skipped) {
        auto step = history.takeBack(tree, {}, skipped);
        if (!step || !step->lost.empty()) {
            return step ? "lost " + step->lost.front().path : toString(step.error());
        }
        workspace::Record record;
        record.purpose = workspace::Purpose::Undo;
        record.undoes = step->undoes;
        workspace::Transaction transaction(tree, *store, record);
        for (auto& operation : step->operations) {
            transaction.add(std::move(operation));
        }
        const auto done = transaction.commit();
        if (done && !done->empty()) {
            return {};
        }
        std::string text = done ? std::string() : toString(done.error());
        for (const workspace::Conflict& conflict : transaction.conflicts()) {
            text += '\n' + conflict.path + ": " + conflict.why;
        }
        if (!text.empty()) {
            return text;
        }
    }
}

void fill(const fs::path& project)
{
    for (const char* const directory : {"a", "a/b", "c", "c/empty"}) {
        fs::create_directories(project / directory);
    }
    int number = 0;
    for (const char* const file : {"x", "y", "a/x", "a/y", "a/b/x", "c/x", "c/z"}) {
        writeFile(project / file, "content " + std::to_string(++number) + std::string(5000, 'z'));
    }
    fs::create_hard_link(project / "c/z", project / "a/z");
    fs::create_symlink("../x", project / "a/link");
    fs::create_symlink("nowhere", project / "c/link");
    fs::permissions(project / "c/x", fs::perms::owner_all);
    ::setxattr((project / "y").c_str(), "user.note", "v", 1, 0);
    const std::array<struct timespec, 2> old{timespec{1'000'000, 1}, timespec{1'000'000, 123'456'789}};
    ::utimensat(AT_FDCWD, (project / "a/x").c_str(), old.data(), 0);
    ::utimensat(AT_FDCWD, (project / "c").c_str(), old.data(), 0);
}

namespace {

int opened(BrokerBench& bench, const std::string& path, int flags, UniqueFd* file)
{
    Seen seen = bench.run(opening(at(path), flags));
    *file = std::move(seen.descriptor);
    return seen.error;
}

void require(bool holds)
{
    if (!holds) {
        qFatal("a step of the test failed, errno %d", errno);
    }
}

} // namespace

// NOLINTNEXTLINE(readability-function-size): a table
const std::vector<Way>& destroyingWays()
{
    static const std::vector<Way> all{
        {"unlink", [](BrokerBench& bench) { require(bench.error(call(Operation::Remove, at("x"))) == 0); }},
        {"unlink and make anew",
         [](BrokerBench& bench) {
             require(bench.error(call(Operation::Remove, at("x"))) == 0);
             require(bench.write("x", "new", O_CREAT | O_EXCL) == 0);
         }},
        {"rename over",
         [](BrokerBench& bench) {
             require(bench.write("x.new", "new") == 0);
             require(bench.error(twoPaths(Operation::Rename, at("x.new"), at("x"))) == 0);
         }},
        {"rename another over",
         [](BrokerBench& bench) {
             require(bench.error(twoPaths(Operation::Rename, at("y"), at("x"))) == 0);
         }},
        {"truncate at opening", [](BrokerBench& bench) { require(bench.write("x", "new", O_TRUNC) == 0); }},
        {"truncate", [](BrokerBench& bench) { require(bench.error(truncating("x", 3)) == 0); }},
        {"write in the middle",
         [](BrokerBench& bench) {
             UniqueFd file;
             require(opened(bench, "x", O_WRONLY, &file) == 0 && ::pwrite(file.get(), "NEW", 3, 100) == 3);
         }},
        {"ftruncate",
         [](BrokerBench& bench) {
             UniqueFd file;
             require(opened(bench, "x", O_RDWR, &file) == 0 && ::ftruncate(file.get(), 10) == 0);
         }},
        {"mmap",
         [](BrokerBench& bench) {
             UniqueFd file;
             require(opened(bench, "x", O_RDWR, &file) == 0);
             void* memory = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
             require(memory != MAP_FAILED);
             std::memset(memory, 'm', 4096);
             ::munmap(memory, 4096);
         }},
        {"copy_file_range",
         [](BrokerBench& bench) {
             UniqueFd file;
             require(opened(bench, "x", O_WRONLY, &file) == 0);
             const UniqueFd from(::open((bench.project() / "y").c_str(), O_RDONLY | O_CLOEXEC));
             require(::copy_file_range(from.get(), nullptr, file.get(), nullptr, 3000, 0) == 3000);
         }},
        {"fallocate",
         [](BrokerBench& bench) {
             UniqueFd file;
             require(opened(bench, "x", O_RDWR, &file) == 0);
             require(::fallocate(file.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096) == 0);
         }},
        {"a descriptor opened before it was renamed",
         [](BrokerBench& bench) {
             UniqueFd file;
             require(opened(bench, "x", O_RDWR, &file) == 0);
             require(bench.error(twoPaths(Operation::Rename, at("x"), at("c/moved"))) == 0);
             require(::write(file.get(), "NEW", 3) == 3);
         }},
        {"a descriptor opened before it was unlinked",
         [](BrokerBench& bench) {
             UniqueFd file;
             require(opened(bench, "x", O_RDWR, &file) == 0);
             require(bench.error(call(Operation::Remove, at("x"))) == 0);
             require(::write(file.get(), "NEW", 3) == 3);
         }},
        {"through a link made for it",
         [](BrokerBench& bench) {
             require(bench.error(twoPaths(Operation::MakeLink, at("x"), at("l"))) == 0);
             require(bench.write("l", "new", O_TRUNC) == 0);
         }},
        {"unlink, then through a link made before",
         [](BrokerBench& bench) {
             require(bench.error(twoPaths(Operation::MakeLink, at("x"), at("l"))) == 0);
             require(bench.error(call(Operation::Remove, at("x"))) == 0);
             require(bench.write("l", "new", O_TRUNC) == 0);
         }},
        {"a name of two, then the other",
         [](BrokerBench& bench) {
             require(bench.write("c/z", "new", O_TRUNC) == 0);
             require(bench.write("a/z", "newer", O_TRUNC) == 0);
             require(bench.error(call(Operation::Remove, at("a/z"))) == 0);
         }},
        {"mode, times and attributes",
         [](BrokerBench& bench) {
             require(bench.error(withMode(Operation::ChangeMode, at("x"), 0400)) == 0);
             require(bench.error(withMode(Operation::ChangeMode, at("a"), 0750)) == 0);
             Call times = call(Operation::ChangeTimes, at("y"));
             require(bench.error(times) == 0);
             require(bench.error(attribute(at("y"), "user.note")) == 0);
         }},
        {"swap",
         [](BrokerBench& bench) {
             require(bench.error(twoPaths(Operation::Rename, at("x"), at("a/b"), RENAME_EXCHANGE)) == 0);
             require(bench.write("x/x", "new", O_TRUNC) == 0);
         }},
        {"rename chains",
         [](BrokerBench& bench) {
             require(bench.error(twoPaths(Operation::Rename, at("x"), at("t"))) == 0);
             require(bench.error(twoPaths(Operation::Rename, at("y"), at("x"))) == 0);
             require(bench.error(twoPaths(Operation::Rename, at("t"), at("y"))) == 0);
             require(bench.error(twoPaths(Operation::Rename, at("a"), at("d"))) == 0);
             require(bench.error(call(Operation::Remove, at("d/b/x"))) == 0);
             require(bench.error(call(Operation::RemoveDirectory, at("d/b"))) == 0);
             require(bench.error(twoPaths(Operation::Rename, at("d"), at("c/empty"))) == 0);
         }},
        {"a whole tree",
         [](BrokerBench& bench) {
             for (const char* const file :
                  {"x", "y", "a/x", "a/y", "a/z", "a/link", "a/b/x", "c/x", "c/z", "c/link"}) {
                 require(bench.error(call(Operation::Remove, at(file))) == 0);
             }
             for (const char* const directory : {"a/b", "a", "c/empty", "c"}) {
                 require(bench.error(call(Operation::RemoveDirectory, at(directory))) == 0);
             }
         }},
        {"what fails",
         [](BrokerBench& bench) {
             require(bench.error(call(Operation::RemoveDirectory, at("a"))) == ENOTEMPTY);
             require(bench.error(call(Operation::Remove, at("a"))) != 0);
             require(bench.error(call(Operation::Remove, at("x/"))) == ENOTDIR);
             require(bench.error(twoPaths(Operation::Rename, at("a"), at("c"))) == ENOTEMPTY);
             require(bench.error(twoPaths(Operation::Rename, at("x"), at("c"))) == EISDIR);
             require(bench.error(twoPaths(Operation::Rename, at("a"), at("a/b/a"))) == EINVAL);
             require(bench.error(twoPaths(Operation::Rename, at("x"), at("y"), RENAME_NOREPLACE)) == EEXIST);
             require(bench.write("x", "new", O_TRUNC) == 0);
         }},
    };
    return all;
}

} // namespace revet::test
