// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/notify_loop.h"

#include "engine/policy/refused_calls.h"
#include "engine/supervisor/call_decoder.h"
#include "engine/supervisor/socket_address.h"

#include <array>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

namespace revet::supervisor {
namespace {

using os::Notification;

[[nodiscard]] os::FileId rootOf(const BoxView& box)
{
    struct stat status
    {
    };
    if (::fstat(box.outerRoot.get(), &status) < 0) {
        return {}; // equals no root, so no process counts as the box's
    }
    return {status.st_dev, status.st_ino};
}

/// With these levels trapped_calls.cpp lets chdir and umask go by unseen.
[[nodiscard]] ProcessCache::Context contextOf(const BoxView& box)
{
    const bool isUnseen = box.tier == Tier::Container && box.observe == ObserveLevel::Exec;
    return isUnseen ? ProcessCache::Context::Forgotten : ProcessCache::Context::Remembered;
}

/// Facts about what a call does as it is are worth no more than the call: where its arguments name nothing,
/// the kernel says so itself.
[[nodiscard]] Result<Answer> proceedUnless(const Result<void>& recorded)
{
    if (!recorded && isOwnFailure(recorded.error())) {
        return fail(recorded.error());
    }
    return Answer::proceed();
}

} // namespace

NotifyLoop::NotifyLoop(os::NotifyDevice& device, const Dependencies& dependencies)
    : m_device(device)
    , m_dependencies(dependencies)
    , m_answers(device, dependencies.facts)
    , m_processes(rootOf(dependencies.box), dependencies.generation, contextOf(dependencies.box))
    , m_resolver(dependencies.box, dependencies.host, dependencies.generation)
    , m_forecast(dependencies.box, m_resolver, dependencies.facts)
    , m_mutation(m_dependencies.perform, dependencies.generation, m_forecast)
    , m_waiting({device, m_answers, dependencies.box, dependencies.host, dependencies.generation,
                 dependencies.facts, m_dependencies.perform, m_dependencies.forget},
                rootOf(dependencies.box))
{
}

NotifyLoop::~NotifyLoop() = default;

Result<void> NotifyLoop::run()
{
    for (;;) {
        REVET_ASSIGN_OR_RETURN(const std::optional<Notification> notification, m_device.receive());
        if (!notification) {
            return {};
        }
        handle(*notification);
    }
}

void NotifyLoop::handle(const Notification& notification)
{
    if (!m_answers.mayBegin(notification)) {
        return;
    }
    const Result<ProcessCache::Process*> process = m_processes.find(notification.tid);
    if (!process) {
        m_answers.refuse(notification, process.error());
        return;
    }
    ProcessTarget target(notification, m_device, m_processes, **process);
    const Result<Answer> answer = answerTo(notification, target);
    if (!answer || answer->kind != Answer::Kind::Later) {
        m_answers.give(notification, answer);
    }
}

Result<Answer> NotifyLoop::answerTo(const Notification& notification, Target& target)
{
    if (!m_unnamedExecs.empty()) {
        nameEarlierExec(notification);
    }
    // First of all: no other reason for which a call is trapped may let it go on.
    if (const auto* refused = policy::findRefused(notification.number, notification.arguments)) {
        return refuseCall(*refused, target);
    }
    switch (notification.number) {
    case SYS_execve:
    case SYS_execveat:
        return exec(notification, target);
    case SYS_exit_group: {
        constexpr std::uint64_t kStatusBits = 0xff;
        const auto status = static_cast<std::int32_t>((notification.arguments[0] & kStatusBits) << 8U);
        m_dependencies.settle();
        m_dependencies.facts.aboutToExit(notification.tid, status);
        m_processes.beforeExit(notification.tid);
        return Answer::proceed();
    }
    case SYS_umask:
        m_processes.setUmask(notification.tid, static_cast<mode_t>(notification.arguments[0]));
        return Answer::proceed();
    case SYS_chdir:
    case SYS_fchdir:
        return directoryChange(notification, target);
    case SYS_connect:
        return connect(notification, target);
    case SYS_bind:
        return bind(notification, target);
    case SYS_listen:
        return listen(notification, target);
    case SYS_socket:
        return refuseSocket(notification, target);
    default:
        break;
    }
    return pathCall(notification, target);
}

Result<Answer> NotifyLoop::pathCall(const Notification& notification, Target& target)
{
    const Result<Call> call = decodeCall(notification, target);
    if (!call) {
        return fail(call.error());
    }
    if (!isReadingOpen(*call)) {
        return mutation(notification, target, *call);
    }
    // Goes on with whatever the path has become since: a read-only view of the project and a tree without
    // anything that the box may not read are what holds here.
    return proceedUnless(m_forecast.readingOpen(target, *call));
}

Result<Answer> NotifyLoop::mutation(const Notification& notification, Target& target, const Call& call)
{
    REVET_ASSIGN_OR_RETURN(Answer answer, m_mutation.perform(call, target));
    if (answer.kind == Answer::Kind::Later) {
        m_waiting.add(notification, call);
    }
    return answer;
}

Result<Answer> NotifyLoop::exec(const Notification& notification, Target& target)
{
    m_dependencies.settle();
    const bool isAt = notification.number == SYS_execveat;
    const unsigned flags = isAt ? static_cast<unsigned>(notification.arguments[4]) : 0;
    PathArgument program;
    program.directory = isAt ? static_cast<int>(notification.arguments[0]) : AT_FDCWD;
    Result<std::string> path = target.readString(notification.arguments[isAt ? 1 : 0]);
    Result<Answer> answer = Answer::proceed();
    if (path) {
        program.path = std::move(*path);
        program.isDescriptor = program.path.empty() && (flags & AT_EMPTY_PATH) != 0;
        // Goes on: every program that the box can see it may run.
        answer = proceedUnless(m_forecast.exec(target, program));
    } else if (path.error().errnoValue == EPERM || path.error().errnoValue == EACCES) {
        // The command's first exec: until then it is a child of pid 1, whose memory is nobody's to read.
        m_dependencies.facts.aboutToExec(notification.tid);
        m_unnamedExecs.insert(notification.tid);
    } else if (isOwnFailure(path.error())) {
        answer = fail(path.error());
    }
    // Last, since the target is what is forgotten. What is cached would outlive the program it is of.
    m_processes.beforeExec(notification.tid);
    return answer;
}

void NotifyLoop::nameEarlierExec(const Notification& notification)
{
    const auto unnamed = m_unnamedExecs.find(notification.tid);
    const bool isExec = notification.number == SYS_execve || notification.number == SYS_execveat;
    if (unnamed == m_unnamedExecs.end() || isExec) {
        return;
    }
    m_unnamedExecs.erase(unnamed);
    const Result<os::ProcessDirectory> process = os::ProcessDirectory::open(notification.tid);
    Result<std::string> program
        = process ? process->readLink("exe") : Result<std::string>(fail(process.error()));
    if (program) {
        Fact fact;
        fact.kind = ActionKind::Exec;
        fact.target = std::move(*program);
        m_dependencies.facts.record(notification.tid, std::move(fact));
    }
}

Result<Answer> NotifyLoop::directoryChange(const Notification& notification, Target& target)
{
    Result<Answer> answer = Answer::proceed();
    if (notification.number == SYS_chdir) {
        PathArgument directory;
        REVET_ASSIGN_OR_RETURN(directory.path, target.readString(notification.arguments[0]));
        // Goes on: a working directory gives no right that a path does not.
        answer = directory.path.empty() ? Result<Answer>(Answer::failure(ENOENT))
                                        : proceedUnless(m_forecast.directoryChange(target, directory));
    }
    m_processes.beforeDirectoryChange(notification.tid);
    return answer;
}

namespace {

/// Empty where the kernel will refuse the address for its length.
[[nodiscard]] Result<std::string> readAddressBytes(const Notification& notification, Target& target)
{
    const auto size = static_cast<int>(notification.arguments[2]);
    if (size <= 0 || size > static_cast<int>(kSocketAddressMaximum)) {
        return std::string();
    }
    std::string bytes(static_cast<std::size_t>(size), '\0');
    REVET_RETURN_IF_ERROR(
        target.readBytes(notification.arguments[1], std::as_writable_bytes(std::span(bytes))));
    return bytes;
}

[[nodiscard]] Result<SocketAddress> readAddress(const Notification& notification, Target& target)
{
    REVET_ASSIGN_OR_RETURN(const std::string bytes, readAddressBytes(notification, target));
    return parseSocketAddress(std::as_bytes(std::span(bytes)));
}

} // namespace

Result<Answer> NotifyLoop::connect(const Notification& notification, Target& target)
{
    REVET_ASSIGN_OR_RETURN(const std::string bytes, readAddressBytes(notification, target));
    SocketAddress address = parseSocketAddress(std::as_bytes(std::span(bytes)));
    if (bytes.empty()) {
        return Answer::proceed(); // its length, a register, is one that the kernel refuses
    }
    PathArgument path;
    if (address.kind == SocketAddress::Kind::LocalPath) {
        path.path = address.text;
        REVET_ASSIGN_OR_RETURN(const std::optional<int> missing, m_forecast.localConnect(target, path));
        if (missing) {
            return Answer::failure(*missing);
        }
    }
    // A call that went on could by then have another address in its memory and another socket behind its
    // number, and reach a socket that a program of the host has in what the box sees. So it never goes on.
    Call call;
    call.notification = notification.id;
    call.operation = Operation::Connect;
    call.path = std::move(path);
    call.text = std::move(address.text);
    call.value = bytes;
    call.socket = static_cast<int>(notification.arguments[0]);
    return mutation(notification, target, call);
}

Result<Answer> NotifyLoop::bind(const Notification& notification, Target& target)
{
    REVET_ASSIGN_OR_RETURN(SocketAddress address, readAddress(notification, target));
    if (address.kind == SocketAddress::Kind::Other) {
        return Answer::proceed();
    }
    if (address.kind == SocketAddress::Kind::LocalPath) {
        Call call;
        call.notification = notification.id;
        call.operation = Operation::BindLocalSocket;
        call.path.path = std::move(address.text);
        call.socket = static_cast<int>(notification.arguments[0]);
        return mutation(notification, target, call);
    }
    // Goes on: abstract names and ports belong to the box's own network namespace.
    Fact fact;
    fact.kind = ActionKind::Listen;
    fact.target = std::move(address.text);
    m_dependencies.facts.record(notification.tid, std::move(fact));
    return Answer::proceed();
}

Result<Answer> NotifyLoop::listen(const Notification& notification, Target& target)
{
    const Result<UniqueFd> socket = target.duplicateDescriptor(static_cast<int>(notification.arguments[0]));
    if (!socket) {
        return proceedUnless(fail(socket.error()));
    }
    std::array<std::byte, kSocketAddressMaximum> bytes{};
    auto size = static_cast<socklen_t>(bytes.size());
    if (::getsockname(socket->get(), reinterpret_cast<sockaddr*>(bytes.data()), &size) < 0) {
        return Answer::proceed(); // not a socket: the kernel says so
    }
    SocketAddress address = parseSocketAddress(std::span(bytes).first(size));
    if (address.kind != SocketAddress::Kind::Other) {
        Fact fact;
        fact.kind = ActionKind::Listen;
        fact.target = std::move(address.text);
        m_dependencies.facts.record(notification.tid, std::move(fact));
    }
    // Goes on: a port opens in the box's own network namespace only.
    return Answer::proceed();
}

Answer NotifyLoop::refuseCall(const policy::RefusedCall& call, Target& target)
{
    Fact fact;
    fact.kind = ActionKind::Syscall;
    fact.verdict = Verdict::Denied;
    fact.target = call.name;
    fact.errnoValue = call.errnoValue;
    m_dependencies.facts.record(target.tid(), std::move(fact));
    return Answer::failure(call.errnoValue);
}

Answer NotifyLoop::refuseSocket(const Notification& notification, Target& target)
{
    const auto family = static_cast<int>(notification.arguments[0]);
    const bool isRaw = family == AF_INET || family == AF_INET6;
    Fact fact;
    fact.kind = ActionKind::Socket;
    fact.verdict = Verdict::Denied;
    fact.target = socketFamilyName(family) + (isRaw ? " raw" : "");
    fact.errnoValue = isRaw ? EPERM : EAFNOSUPPORT;
    Answer answer = Answer::failure(fact.errnoValue);
    m_dependencies.facts.record(target.tid(), std::move(fact));
    return answer;
}

} // namespace revet::supervisor
