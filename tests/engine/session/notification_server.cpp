// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Plays the desktop's notification service: prints "notify SUMMARY | BODY" and "close" for each call, and
// invokes the action that a line of its input names.

#include <cstdint>
#include <iostream>
#include <sstream>
#include <string>

#include <poll.h>
#include <unistd.h>

#include <systemd/sd-bus.h>

namespace {

constexpr const char* kService = "org.freedesktop.Notifications";
constexpr const char* kPath = "/org/freedesktop/Notifications";

int notify(sd_bus_message* message, void* /*data*/, sd_bus_error* /*error*/)
{
    const char* application = nullptr;
    std::uint32_t replaces = 0;
    const char* icon = nullptr;
    const char* summary = nullptr;
    const char* body = nullptr;
    const int read = sd_bus_message_read(message, "susss", &application, &replaces, &icon, &summary, &body);
    if (read < 0) {
        return read;
    }
    std::cout << "notify " << summary << " | " << body << std::endl;
    return sd_bus_reply_method_return(message, "u", 7U);
}

int close(sd_bus_message* message, void* /*data*/, sd_bus_error* /*error*/)
{
    std::cout << "close" << std::endl;
    return sd_bus_reply_method_return(message, "");
}

const sd_bus_vtable kMethods[]
    = {SD_BUS_VTABLE_START(0), SD_BUS_METHOD("Notify", "susssasa{sv}i", "u", notify, 0),
       SD_BUS_METHOD("CloseNotification", "u", "", close, 0), SD_BUS_VTABLE_END};

} // namespace

int main()
{
    sd_bus* bus = nullptr;
    if (sd_bus_open_user(&bus) < 0
        || sd_bus_add_object_vtable(bus, nullptr, kPath, kService, kMethods, nullptr) < 0
        || sd_bus_request_name(bus, kService, 0) < 0) {
        return 1;
    }
    std::cout << "ready" << std::endl;
    for (std::string line;;) {
        if (const int processed = sd_bus_process(bus, nullptr); processed != 0) {
            if (processed < 0) {
                return 0;
            }
            continue;
        }
        pollfd fds[] = {{sd_bus_get_fd(bus), static_cast<short>(sd_bus_get_events(bus)), 0}, {0, POLLIN, 0}};
        ::poll(fds, 2, -1);
        if (fds[1].revents != 0) {
            char bytes[256];
            const ssize_t size = ::read(0, bytes, sizeof bytes);
            if (size <= 0) {
                return 0;
            }
            std::istringstream lines(std::string(bytes, static_cast<std::size_t>(size)));
            while (std::getline(lines, line)) {
                sd_bus_emit_signal(bus, kPath, kService, "ActionInvoked", "us", 7U, line.c_str());
            }
        }
    }
}
