// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/supervisor/path_broker.h"
#include "tests/support/fake_target.h"
#include "tests/support/temp_home.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace revet::test {

using supervisor::Answer;
using supervisor::Call;
using supervisor::Operation;
using supervisor::PathArgument;

/// What a caller of the system call sees.
struct Seen
{
    int error = 0;
    UniqueFd descriptor;
    bool wasLeftToKernel = false;
};

inline PathArgument at(std::string path, int directory = AT_FDCWD)
{
    return {directory, std::move(path), false};
}
inline PathArgument descriptor(int fd)
{
    return {fd, {}, true};
}

inline Call call(Operation operation, PathArgument path)
{
    Call made;
    made.operation = operation;
    made.path = std::move(path);
    return made;
}
inline Call opening(PathArgument path, int flags, mode_t mode = 0)
{
    Call made = call(Operation::Open, std::move(path));
    made.flags = static_cast<std::uint64_t>(flags);
    made.mode = mode;
    return made;
}
inline Call twoPaths(Operation operation, PathArgument from, PathArgument to, std::uint64_t flags = 0)
{
    Call made = call(operation, std::move(from));
    made.second = std::move(to);
    made.flags = flags;
    return made;
}
inline Call symlinking(std::string text, PathArgument path)
{
    Call made = call(Operation::MakeSymlink, std::move(path));
    made.text = std::move(text);
    return made;
}
inline Call withMode(Operation operation, PathArgument path, mode_t mode, std::uint64_t flags = 0)
{
    Call made = call(operation, std::move(path));
    made.mode = mode;
    made.flags = flags;
    return made;
}

/// Runs the call as the kernel would for the calling thread.
Seen runBare(const Call& made);

/// A project in a temporary world, a broker for it and this process as its box.
class BrokerBench
{
public:
    explicit BrokerBench(supervisor::Root::Kind kind = supervisor::Root::Kind::Brokered,
                         std::string_view table = {});

    [[nodiscard]] std::filesystem::path project() const { return m_home.project(); }
    [[nodiscard]] std::filesystem::path outside() const { return m_home.home(); }
    [[nodiscard]] Answer perform(const Call& made) { return m_broker->perform(made, target); }
    /// Performs it; what is left to the kernel meets the read-only view: EROFS where the box would change
    /// anything in the project, which is what these tests look for.
    Seen run(const Call& made);
    /// The same, only the errno: 0 for success.
    int error(const Call& made) { return run(made).error; }
    /// Writes a whole file through the broker as a program would; the errno of the open.
    int write(const std::string& path, std::string_view content, int flags = O_CREAT | O_TRUNC);
    void settle() { m_broker->settle(); }
    /// Adds a further brokered root and starts the broker anew.
    void addRoot(const std::filesystem::path& path);
    /// Makes it the broker of one of several sessions of a project, which take turns.
    void share(const std::filesystem::path& project, std::vector<supervisor::TurnLock> turns);
    /// Starts the broker anew with a sink, which outlives it.
    void keepPreImages(supervisor::PreImageSink& sink);
    /// Starts the broker anew with somebody to ask, who outlives it.
    void askOf(supervisor::Crossings& crossings);
    void forget(std::uint64_t notification) { m_broker->forget(notification); }

    FakeTarget target;
    FactCollector facts;

private:
    void start();
    TempHome m_home;
    policy::RunLaterTable m_table;
    supervisor::BoxView m_box;
    supervisor::PreImageSink* m_preImages = nullptr;
    supervisor::Crossings* m_crossings = nullptr;
    std::unique_ptr<supervisor::PathBroker> m_broker;
};

} // namespace revet::test
