// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Looks for anything it can write outside the directories that are its own, since what is kept there could
// change a later session, and plants the files that a program run with more rights would read.

#include "tests/sandboxees/deed.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace victim = revet::victim;

namespace {

constexpr int kDeepest = 6;

class Search
{
public:
    explicit Search(std::vector<std::string> own)
        : m_own(std::move(own))
    {
    }

    void walk(const std::string& directory, int depth)
    {
        if (depth > kDeepest || isOwn(directory)) {
            return;
        }
        // Opening for writing is the test; access(2) would only ask.
        DIR* const stream = ::opendir(directory.c_str());
        if (stream == nullptr) {
            return;
        }
        tryCreate(directory);
        const bool mayHoldWritable = !isReadOnly(directory);
        // One thread only.
        while (const dirent* const entry = ::readdir(stream)) { // NOLINT(concurrency-mt-unsafe)
            const std::string name = entry->d_name;
            if (name == "." || name == "..") {
                continue;
            }
            const std::string path = (directory == "/" ? "" : directory) + "/" + name;
            if (entry->d_type == DT_DIR) {
                walk(path, depth + 1);
            } else if (entry->d_type == DT_REG && mayHoldWritable && !isOwn(path)) {
                tryOpen(path);
            }
        }
        ::closedir(stream);
    }
    [[nodiscard]] bool found() const { return m_found; }

private:
    [[nodiscard]] bool isOwn(const std::string& path) const
    {
        return std::any_of(m_own.begin(), m_own.end(),
                           [&path](const std::string& own) { return path == own; });
    }
    /// The mount itself says so: no need to try each of the 100,000 files below /usr.
    static bool isReadOnly(const std::string& directory)
    {
        struct statvfs status = {};
        return ::statvfs(directory.c_str(), &status) == 0 && (status.f_flag & ST_RDONLY) != 0;
    }
    void tryOpen(const std::string& path)
    {
        const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
        if (fd >= 0) {
            ::close(fd);
            m_found = true;
            victim::say({"writable file ", path});
        }
    }
    void tryCreate(const std::string& directory)
    {
        const std::string path = directory + "/revet-tamper";
        if (victim::appendText(path, "x") == 0) {
            m_found = true;
            victim::say({"writable directory ", directory});
            static_cast<void>(::unlink(path.c_str()));
        }
    }

    std::vector<std::string> m_own;
    bool m_found = false;
};

void plant()
{
    constexpr std::array<const char*, 5> kTargets{"/etc/ld.so.preload", "/etc/profile", "/bin/sh",
                                                  "/usr/local/bin/git", "/lib/revet-tamper.so"};
    for (const char* const target : kTargets) {
        victim::say({"plant ", target, " ", victim::errnoName(victim::appendText(target, "x"))});
    }
}

} // namespace

int main(int argc, char** argv)
{
    std::vector<std::string> own{"/proc", "/sys"};
    for (const char* const path : std::span(argv, static_cast<std::size_t>(argc)).subspan(1)) {
        own.emplace_back(path);
    }
    plant();
    Search search(own);
    search.walk("/", 0);
    return search.found() ? victim::kDone : victim::kRefused;
}
