// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/box.h"

#include "engine/launcher/errand.h"
#include "engine/os/pidfd.h"
#include "engine/os/socket.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace revet::session {

namespace {

using launcher::Order;
using launcher::Report;

constexpr int kReadyTimeoutMs = 60000; ///< from one report to the next
constexpr int kEndTimeoutMs = 5000; // a process in an uninterruptible wait must not hold us for ever

Result<Box::Message> receive(int socket)
{
    REVET_ASSIGN_OR_RETURN(auto packet, os::receivePacket(socket, launcher::kMaximumPacketBytes));
    Box::Message message;
    REVET_ASSIGN_OR_RETURN(message.report, launcher::decodeReport(packet.bytes));
    message.descriptors = std::move(packet.descriptors);
    return message;
}

Result<void> sendOrder(int socket, Order order, std::span<const int> descriptors = {})
{
    return os::sendPacket(socket, launcher::encode(order), descriptors);
}

/// Without a receiver: a step has failed, and its report waits to be read.
Result<void> unlessFailed(Result<void> sent)
{
    return sent || sent.error().code == ErrorCode::Closed ? Result<void>() : sent;
}

/// What a person can do about a step that a kernel refused.
std::string remedyFor(const Report& report)
{
    if (report.text.starts_with("outer-namespaces") && (report.value == EPERM || report.value == EACCES)) {
        return "this system forbids user namespaces to programs without a permission of their own; 'revet "
               "doctor' "
               "names the setting";
    }
    if (report.text.starts_with("outer-namespaces") && report.value == ENOSPC) {
        return "the limit /proc/sys/user/max_user_namespaces is used up; raise it";
    }
    if (report.text.starts_with("overlay")) {
        return "the project's file system cannot be a layer's base; use --tier sandbox";
    }
    return "'revet doctor' tells what works here";
}

/// Runs in posix_spawn's child: puts the descriptors where the launcher expects them.
class SpawnActions
{
public:
    SpawnActions() { ::posix_spawn_file_actions_init(&m_actions); }
    ~SpawnActions() { ::posix_spawn_file_actions_destroy(&m_actions); }
    SpawnActions(const SpawnActions&) = delete;
    SpawnActions& operator=(const SpawnActions&) = delete;
    SpawnActions(SpawnActions&&) = delete;
    SpawnActions& operator=(SpawnActions&&) = delete;
    void place(int fd, int where) { ::posix_spawn_file_actions_adddup2(&m_actions, fd, where); }
    [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &m_actions; }

private:
    posix_spawn_file_actions_t m_actions{};
};

/// A copy far above the launcher's fixed numbers, so that placing one never overwrites another.
Result<UniqueFd> outOfTheWay(const UniqueFd& fd)
{
    UniqueFd copy(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 64));
    return copy ? Result<UniqueFd>(std::move(copy)) : failErrno("duplicate a descriptor for the launcher");
}

} // namespace

Box::Box(Box&& other) noexcept
{
    swap(other);
}

Box& Box::operator=(Box&& other) noexcept
{
    if (this != &other) {
        end();
        swap(other);
    }
    return *this;
}

void Box::swap(Box& other) noexcept
{
    std::swap(m_launcher, other.m_launcher);
    std::swap(m_firstSteps, other.m_firstSteps);
    std::swap(m_isEmpty, other.m_isEmpty);
    std::swap(m_isGone, other.m_isGone);
    std::swap(m_keeper, other.m_keeper);
    std::swap(m_init, other.m_init);
    std::swap(m_initHandle, other.m_initHandle);
    std::swap(m_keeperSocket, other.m_keeperSocket);
    std::swap(m_initSocket, other.m_initSocket);
    std::swap(m_gateway, other.m_gateway);
    std::swap(m_awaitsGateway, other.m_awaitsGateway);
}

Box::~Box()
{
    end();
}

Result<Box> Box::start(std::string launcher)
{
    REVET_ASSIGN_OR_RETURN(auto keeper, os::packetSocketPair());
    REVET_ASSIGN_OR_RETURN(auto init, os::packetSocketPair());
    REVET_ASSIGN_OR_RETURN(const auto keeperEnd, outOfTheWay(keeper.second));
    REVET_ASSIGN_OR_RETURN(const auto initEnd, outOfTheWay(init.second));
    SpawnActions actions;
    actions.place(keeperEnd.get(), launcher::kKeeperSocket);
    actions.place(initEnd.get(), launcher::kInitSocket);
    // Nothing of our environment: it may hold secrets, and /proc/PID/environ of pid 1 would show it.
    std::array<char*, 2> arguments = {launcher.data(), nullptr};
    std::array<char*, 1> environment = {nullptr};
    Box box;
    const int failed = ::posix_spawn(&box.m_keeper, launcher.c_str(), actions.get(), nullptr,
                                     arguments.data(), environment.data());
    if (failed != 0) {
        box.m_keeper = -1;
        return fail(Error{ErrorCode::System, "start " + launcher, failed, "is Revet installed completely?"});
    }
    box.m_keeperSocket = std::move(keeper.first);
    box.m_initSocket = std::move(init.first);
    box.m_launcher = std::move(launcher);
    return box;
}

Result<void> Box::begin(std::vector<launcher::Step> firstSteps)
{
    launcher::Plan part;
    part.outer = std::move(firstSteps);
    REVET_RETURN_IF_ERROR(sendPlan(part));
    m_firstSteps = std::move(part.outer);
    return {};
}

Result<void> Box::build(launcher::Plan plan)
{
    const bool awaitsGateway
        = std::any_of(plan.outer.begin(), plan.outer.end(),
                      [](const launcher::Step& step) { return step.kind == launcher::StepKind::Gateway; });
    const auto [sent, planned]
        = std::mismatch(m_firstSteps.begin(), m_firstSteps.end(), plan.outer.begin(), plan.outer.end());
    if (sent != m_firstSteps.end()) {
        REVET_ASSIGN_OR_RETURN(*this, start(m_launcher));
        m_awaitsGateway = awaitsGateway;
        return sendPlan(plan);
    }
    m_awaitsGateway = awaitsGateway;
    plan.outer.erase(plan.outer.begin(), planned);
    return sendPlan(plan);
}

Result<void> Box::sendPlan(const launcher::Plan& part) const
{
    REVET_ASSIGN_OR_RETURN(const auto file, os::sealedMemory("revet-plan", launcher::encode(part)));
    const std::array descriptors{file.get()};
    return unlessFailed(os::sendPacket(m_keeperSocket.get(), "plan", descriptors));
}

UniqueFd Box::Message::descriptor()
{
    return descriptors.empty() ? UniqueFd() : std::move(descriptors.front());
}

Result<Box::Message> Box::receiveFromInit() const
{
    return receive(m_initSocket.get());
}

Result<UniqueFd> Box::waitUntilReady(int frontEnd)
{
    UniqueFd root;
    bool isReady = false;
    while (!root || m_init < 0 || !isReady || m_awaitsGateway) {
        // What pid 1 tells after that is about the command.
        std::array<pollfd, 3> ends{pollfd{m_keeperSocket.get(), POLLIN, 0},
                                   pollfd{isReady ? -1 : m_initSocket.get(), POLLIN, 0},
                                   pollfd{frontEnd, 0, 0}}; // what it says waits; that it hung up does not
        const int count = ::poll(ends.data(), ends.size(), kReadyTimeoutMs);
        if (count < 0 && errno != EINTR) {
            return failErrno("wait for the box");
        }
        if (count == 0) {
            return fail(Error{ErrorCode::TimedOut, "wait for the box", 0,
                              "does a network or FUSE file system of the view still answer?"});
        }
        if (count > 0 && ends[2].revents != 0) {
            return fail(ErrorCode::Closed, "wait for the box", "its front end has gone");
        }
        for (const pollfd& end : ends) {
            if (count < 0 || end.revents == 0) {
                continue;
            }
            REVET_ASSIGN_OR_RETURN(auto message, receive(end.fd));
            if (message.report.kind == Report::Kind::Failed) {
                return fail(Error{ErrorCode::Unavailable, message.report.text, message.report.value,
                                  remedyFor(message.report)});
            }
            if (message.report.kind == Report::Kind::Root) {
                root = message.descriptor();
            } else if (message.report.kind == Report::Kind::Gateway) {
                m_awaitsGateway = false;
                const std::size_t sent = std::min(message.descriptors.size(), m_gateway.size());
                std::move(message.descriptors.begin(),
                          message.descriptors.begin() + static_cast<std::ptrdiff_t>(sent), m_gateway.begin());
            } else if (message.report.kind == Report::Kind::Init) {
                m_init = message.report.value;
                REVET_ASSIGN_OR_RETURN(m_initHandle, os::openPidFd(m_init));
            } else if (message.report.kind == Report::Kind::Ready) {
                isReady = true;
            }
        }
    }
    return root;
}

Result<void> Box::spawn(std::uint32_t number, const launcher::SpawnRequest& request,
                        std::span<const int> streams) const
{
    REVET_ASSIGN_OR_RETURN(const auto file, os::sealedMemory("revet-command", launcher::encode(request)));
    std::vector<int> descriptors{file.get()};
    descriptors.insert(descriptors.end(), streams.begin(), streams.end());
    return unlessFailed(sendOrder(m_initSocket.get(), {Order::Kind::Spawn, number, 0}, descriptors));
}

Result<void> Box::signal(std::uint32_t number, int signalNumber) const
{
    return sendOrder(m_initSocket.get(), {Order::Kind::Signal, number, signalNumber});
}

Result<void> Box::resume(std::uint32_t number) const
{
    return sendOrder(m_initSocket.get(), {Order::Kind::Continue, number, 0});
}

Result<UniqueFd> Box::openErrands() const
{
    REVET_ASSIGN_OR_RETURN(auto pair, os::packetSocketPair());
    const std::array descriptors{pair.second.get()};
    pollfd keeper{m_keeperSocket.get(), POLLOUT, 0};
    if (::poll(&keeper, 1, 0) != 1) { // many wait there already: it hangs
        return fail(ErrorCode::TimedOut, "reach the box's keeper");
    }
    REVET_RETURN_IF_ERROR(os::sendPacket(m_keeperSocket.get(), launcher::kErrandsPacket, descriptors));
    return std::move(pair.first);
}

void Box::endProcesses()
{
    if (!m_isEmpty) {
        endInit();
    }
}

void Box::endInit()
{
    if (m_isGone || !m_initHandle) {
        return;
    }
    // pid 1's death takes its whole process namespace along, and its handle becomes readable after the last
    // one.
    ::syscall(SYS_pidfd_send_signal, m_initHandle.get(), SIGKILL, nullptr, 0);
    pollfd handle{m_initHandle.get(), POLLIN, 0};
    int gone = 0;
    do {
        gone = ::poll(&handle, 1, kEndTimeoutMs);
    } while (gone < 0 && errno == EINTR);
    m_isGone = gone == 1;
}

void Box::end()
{
    if (m_keeper < 0) {
        return;
    }
    endInit();
    if (!m_isGone) { // never came up, or hangs in the kernel; otherwise the keeper ends by itself
        ::kill(m_keeper, SIGKILL);
    }
    while (::waitpid(m_keeper, nullptr, 0) < 0 && errno == EINTR) { }
    m_keeper = -1;
    m_initSocket.reset();
    m_keeperSocket.reset();
}

} // namespace revet::session
