// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// revet-notify REVET ASK SUMMARY BODY: shows an ask on the desktop until standard input ends, which is when
// it was answered or its session is over. "Deny" runs `REVET deny ASK`; nothing here can approve, since a
// click on a bubble is no reading. A program of its own, since libsystemd cannot be linked statically.

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string_view>
#include <system_error>

#include <poll.h>
#include <unistd.h>

#include <systemd/sd-bus.h>

namespace {

constexpr const char* kService = "org.freedesktop.Notifications";
constexpr const char* kPath = "/org/freedesktop/Notifications";
constexpr const char* kDeny = "deny";
constexpr std::uint8_t kCritical = 2; ///< stays until it is closed

struct Shown
{
    std::uint32_t id = 0;
    bool isClosed = false;
    bool isDenied = false;
};

int actionInvoked(sd_bus_message* message, void* data, sd_bus_error* /*error*/)
{
    auto* const shown = static_cast<Shown*>(data);
    std::uint32_t id = 0;
    const char* action = nullptr;
    if (sd_bus_message_read(message, "us", &id, &action) >= 0 && id == shown->id) {
        shown->isDenied = std::string_view(action) == kDeny;
        shown->isClosed = shown->isDenied;
    }
    return 0;
}

int notificationClosed(sd_bus_message* message, void* data, sd_bus_error* /*error*/)
{
    auto* const shown = static_cast<Shown*>(data);
    std::uint32_t id = 0;
    std::uint32_t reason = 0;
    if (sd_bus_message_read(message, "uu", &id, &reason) >= 0 && id == shown->id) {
        shown->isClosed = true;
    }
    return 0;
}

int failed(const char* what, int error)
{
    static_cast<void>(std::fprintf(stderr, "revet-notify: %s: %s\n", what,
                                   std::generic_category().message(-error).c_str()));
    return 1;
}

int show(sd_bus* bus, const char* summary, const char* body, Shown* shown)
{
    sd_bus_message* answer = nullptr;
    // Application, what it replaces, icon, texts, actions (key and label), hints, time until it goes: never.
    const int error = sd_bus_call_method(bus, kService, kPath, kService, "Notify", nullptr, &answer,
                                         "susssasa{sv}i", "Revet", 0U, "security-medium", summary, body, 2,
                                         kDeny, "Deny", 1, "urgency", "y", kCritical, 0);
    const int read = error < 0 ? error : sd_bus_message_read(answer, "u", &shown->id);
    sd_bus_message_unref(answer);
    return read;
}

/// Until it is closed by the person, or standard input ends. A negative errno.
int wait(sd_bus* bus, const Shown& shown)
{
    while (!shown.isClosed) {
        const int processed = sd_bus_process(bus, nullptr);
        if (processed < 0) {
            return processed;
        }
        if (processed > 0) {
            continue;
        }
        std::array<pollfd, 2> fds{pollfd{sd_bus_get_fd(bus), static_cast<short>(sd_bus_get_events(bus)), 0},
                                  pollfd{STDIN_FILENO, POLLIN, 0}};
        if (::poll(fds.data(), fds.size(), -1) > 0 && fds[1].revents != 0) {
            return 0;
        }
    }
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 5) {
        static_cast<void>(std::fputs("usage: revet-notify REVET ASK SUMMARY BODY\n", stderr));
        return 2;
    }
    sd_bus* opened = nullptr;
    if (const int error = sd_bus_open_user(&opened); error < 0) {
        return failed("reach the desktop", error);
    }
    const std::unique_ptr<sd_bus, decltype(&sd_bus_flush_close_unref)> bus(opened, sd_bus_flush_close_unref);
    Shown shown;
    int error = sd_bus_match_signal(opened, nullptr, kService, kPath, kService, "ActionInvoked",
                                    actionInvoked, &shown);
    error = error < 0 ? error
                      : sd_bus_match_signal(opened, nullptr, kService, kPath, kService, "NotificationClosed",
                                            notificationClosed, &shown);
    error = error < 0 ? error : show(opened, argv[3], argv[4], &shown);
    error = error < 0 ? error : wait(opened, shown);
    if (error < 0) {
        return failed("show a notification", error);
    }
    if (!shown.isClosed || shown.isDenied) {
        // Whether it is still there does not matter.
        static_cast<void>(sd_bus_call_method(opened, kService, kPath, kService, "CloseNotification", nullptr,
                                             nullptr, "u", shown.id));
    }
    if (shown.isDenied) {
        ::execl(argv[1], argv[1], "deny", argv[2], nullptr);
        return failed("run revet deny", -errno);
    }
    return 0;
}
