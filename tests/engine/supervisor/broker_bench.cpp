// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/engine/supervisor/broker_bench.h"

#include <QtGlobal>

namespace revet::test {

namespace {

int runChange(const Call& made)
{
    const int directory = made.path.directory;
    const char* path = made.path.path.c_str();
    const auto flags = static_cast<int>(made.flags);
    const bool keepsLink = (made.flags & AT_SYMLINK_NOFOLLOW) != 0;
    switch (made.operation) {
    case Operation::MakeDirectory:
        return ::mkdirat(directory, path, made.mode);
    case Operation::MakeNode:
        return ::mknodat(directory, path, made.mode, made.device);
    case Operation::MakeSymlink:
        return ::symlinkat(made.text.c_str(), directory, path);
    case Operation::MakeLink:
        return ::linkat(directory, path, made.second.directory, made.second.path.c_str(),
                        made.path.isDescriptor ? AT_EMPTY_PATH : flags);
    case Operation::Remove:
        return ::unlinkat(directory, path, 0);
    case Operation::RemoveDirectory:
        return ::unlinkat(directory, path, AT_REMOVEDIR);
    case Operation::Rename:
        return static_cast<int>(::syscall(SYS_renameat2, directory, path, made.second.directory,
                                          made.second.path.c_str(), made.flags));
    case Operation::Truncate:
        return ::truncate(path, made.size);
    case Operation::ChangeMode:
        return made.path.isDescriptor ? ::fchmod(directory, made.mode)
                                      : ::fchmodat(directory, path, made.mode, flags);
    case Operation::ChangeOwner:
        return made.path.isDescriptor ? ::fchown(directory, made.owner, made.group)
                                      : ::fchownat(directory, path, made.owner, made.group, flags);
    case Operation::ChangeTimes:
        return static_cast<int>(::syscall(SYS_utimensat, directory, made.path.isDescriptor ? nullptr : path,
                                          made.hasTimes ? made.times : nullptr, flags));
    case Operation::SetAttribute: {
        const int how = flags & (XATTR_CREATE | XATTR_REPLACE);
        if (made.path.isDescriptor) {
            return ::fsetxattr(directory, made.text.c_str(), made.value.data(), made.value.size(), how);
        }
        return (keepsLink ? ::lsetxattr : ::setxattr)(path, made.text.c_str(), made.value.data(),
                                                      made.value.size(), how);
    }
    case Operation::RemoveAttribute:
        return made.path.isDescriptor ? ::fremovexattr(directory, made.text.c_str())
                                      : ::removexattr(path, made.text.c_str());
    case Operation::CheckAccess:
        return static_cast<int>(::syscall(SYS_faccessat2, directory, path, made.mode, flags));
    case Operation::Open:
    case Operation::BindLocalSocket:
    case Operation::Connect:
        break;
    }
    errno = ENOSYS;
    return -1;
}

UniqueFd openDirectory(const std::filesystem::path& path)
{
    return UniqueFd(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

} // namespace

Seen runBare(const Call& made)
{
    Seen seen;
    int result = -1;
    if (made.operation == Operation::Open) {
        result
            = ::openat(made.path.directory, made.path.path.c_str(), static_cast<int>(made.flags), made.mode);
        seen.error = result < 0 ? errno : 0;
        seen.descriptor.reset(result);
        return seen;
    }
    result = runChange(made);
    seen.error = result != 0 ? errno : 0;
    return seen;
}

BrokerBench::BrokerBench(supervisor::Root::Kind kind, std::string_view table)
{
    if (!table.empty()) {
        auto parsed = policy::RunLaterTable::parse(table);
        if (!parsed) {
            qFatal("%s", toString(parsed.error()).c_str());
        }
        m_table = std::move(*parsed);
    }
    m_box.outerRoot = UniqueFd(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    m_box.roots.push_back({project(), kind, openDirectory(project()), {}, {}});
    target.directory = project();
    start();
}

void BrokerBench::start()
{
    m_broker
        = std::make_unique<supervisor::PathBroker>(m_box, m_table, facts, m_preImages, nullptr, m_crossings);
}

void BrokerBench::keepPreImages(supervisor::PreImageSink& sink)
{
    m_preImages = &sink;
    start();
}

void BrokerBench::askOf(supervisor::Crossings& crossings)
{
    m_crossings = &crossings;
    start();
}

void BrokerBench::addRoot(const std::filesystem::path& path)
{
    m_box.roots.push_back({path, supervisor::Root::Kind::Brokered, openDirectory(path), {}, {}});
    start();
}

void BrokerBench::share(const std::filesystem::path& project, std::vector<supervisor::TurnLock> turns)
{
    m_box.roots.front().path = project;
    m_box.turns = std::move(turns);
    target.directory = project;
    start();
}

Seen BrokerBench::run(const Call& made)
{
    Answer answer = perform(made);
    Seen seen;
    switch (answer.kind) {
    case Answer::Kind::Continue:
        seen = {EROFS, {}, true};
        break;
    case Answer::Kind::Value:
        break;
    case Answer::Kind::Fail:
        seen.error = answer.errnoValue;
        break;
    case Answer::Kind::Descriptor:
        // What an installed copy would be.
        ::fcntl(answer.descriptor.get(), F_SETFD,
                answer.closeOnExec == os::NotifyDevice::CloseOnExec::Yes ? FD_CLOEXEC : 0);
        seen.descriptor = std::move(answer.descriptor);
        break;
    case Answer::Kind::Later:
        seen.error = EAGAIN;
        break;
    }
    return seen;
}

int BrokerBench::write(const std::string& path, std::string_view content, int flags)
{
    const Seen seen = run(opening(at(path), O_WRONLY | flags, 0666));
    if (seen.error == 0
        && ::write(seen.descriptor.get(), content.data(), content.size())
            != static_cast<ssize_t>(content.size())) {
        return EIO;
    }
    return seen.error;
}

} // namespace revet::test
