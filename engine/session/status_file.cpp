// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/status_file.h"

#include "engine/base/log.h"
#include "engine/domain/places.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace revet::session {

namespace {

constexpr const char* kPassingName = ".status";
constexpr const char* kHead = "What Revet refused in this box, the latest last. Whoever runs the session can "
                              "permit it; trying the same\n"
                              "again does not help. Nothing in here can be answered from inside the box.\n"
                              "To ask for something, send one packet to the local socket $REVET_SOCKET "
                              "(SOCK_SEQPACKET):\n"
                              R"({"version":1,"type":"request_access","kind":"host","target":"HOST:PORT",)"
                              R"("reason":"what for"})"
                              "\n";

std::string lineOf(const ipc::Denial& denial)
{
    return denial.what + ": " + denial.why
        + (denial.remedy.empty() ? "" : "; to permit it outside: " + denial.remedy);
}

} // namespace

Result<StatusFile> StatusFile::create(const std::filesystem::path& directory)
{
    REVET_RETURN_IF_ERROR(makePrivateDirectory(directory));
    UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    UniqueFd news(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!fd || !news) {
        return failErrno("open " + directory.string());
    }
    StatusFile file(std::move(fd), std::move(news));
    file.write();
    return file;
}

void StatusFile::note(ipc::Denial denial)
{
    const std::lock_guard lock(m_shared->mutex);
    auto& denials = m_shared->denials;
    std::erase_if(denials, [&denial](const ipc::Denial& known) { return lineOf(known) == lineOf(denial); });
    denials.push_back(std::move(denial));
    if (denials.size() > kMaximumDenials) {
        denials.pop_front();
    }
    m_shared->isNew = true;
    ::eventfd_write(m_news.get(), 1);
}

std::vector<ipc::Denial> StatusFile::recent() const
{
    const std::lock_guard lock(m_shared->mutex);
    return {m_shared->denials.begin(), m_shared->denials.end()};
}

void StatusFile::write()
{
    eventfd_t count = 0;
    ::eventfd_read(m_news.get(), &count);
    std::string text = kHead;
    {
        const std::lock_guard lock(m_shared->mutex);
        if (!std::exchange(m_shared->isNew, false)) {
            return;
        }
        for (const ipc::Denial& denial : m_shared->denials) {
            text += toRfc3339(denial.time) + ' ' + lineOf(denial) + '\n';
        }
    }
    // A rename: whoever reads it meanwhile reads all of the one or all of the other.
    const UniqueFd file(::openat(m_directory.get(), kPassingName,
                                 O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0400));
    const bool isWritten = file && ::write(file.get(), text.data(), text.size()) == std::ssize(text)
        && ::renameat(m_directory.get(), kPassingName, m_directory.get(), kName) == 0;
    if (!isWritten) {
        log(LogLevel::Warning, "session", toString(Error::fromErrno("tell the box what was denied")));
    }
}

} // namespace revet::session
