// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/tiers/system_view.h"

#include <array>
#include <filesystem>
#include <string_view>

namespace revet::tiers {

namespace {

using launcher::Step;
using launcher::StepKind;
namespace fs = std::filesystem;

/// What programs need of /etc. An allow list: host configuration holds secrets of services (wireguard,
/// NetworkManager, cups) and tells more about the machine than a build needs. Files are copied, since a mount
/// costs ten times as much; directories are bound.
constexpr std::array<std::string_view, 24> kEtcFiles = {"bash.bashrc",    "ca-certificates.conf",
                                                        "debian_version", "default/locale",
                                                        "environment",    "host.conf",
                                                        "inputrc",        "ld.so.cache",
                                                        "ld.so.conf",     "locale.alias",
                                                        "locale.conf",    "localtime",
                                                        "login.defs",     "lsb-release",
                                                        "magic",          "mailcap",
                                                        "mime.types",     "os-release",
                                                        "protocols",      "services",
                                                        "shells",         "ssl/openssl.cnf",
                                                        "timezone",       "ethertypes"};
constexpr std::array<std::string_view, 18> kEtcDirectories = {"alternatives",
                                                              "crypto-policies",
                                                              "emacs",
                                                              "fonts",
                                                              "java",
                                                              "java-11-openjdk",
                                                              "java-17-openjdk",
                                                              "java-21-openjdk",
                                                              "jvm",
                                                              "ld.so.conf.d",
                                                              "maven",
                                                              "node",
                                                              "perl",
                                                              "pki",
                                                              "profile.d",
                                                              "python3",
                                                              "ssl/certs",
                                                              "vim"};

constexpr std::string_view kHostName = "revet";
constexpr std::array<std::string_view, 7> kTopLinks
    = {"bin", "sbin", "lib", "lib32", "lib64", "libx32", "libo32"};
constexpr std::array<std::string_view, 6> kDevices = {"null", "zero", "full", "random", "urandom", "tty"};

Step bindReadOnly(const std::string& path)
{
    return {StepKind::Bind, path, path, {}, launcher::bind_flag::kReadOnly | launcher::bind_flag::kOptional};
}

Step directory(std::string path, std::string mode = "755")
{
    return {StepKind::Directory, {}, std::move(path), std::move(mode), 0};
}

Step file(std::string path, std::string content)
{
    return {StepKind::File, {}, std::move(path), std::move(content), 0};
}

void addProgramTrees(std::vector<Step>& steps)
{
    steps.push_back({StepKind::Bind, "/usr", "/usr", {}, launcher::bind_flag::kReadOnly});
    for (const std::string_view name : kTopLinks) {
        const std::string path = "/" + std::string(name);
        std::error_code error;
        if (fs::is_symlink(path, error)) {
            steps.push_back({StepKind::Symlink, {}, path, fs::read_symlink(path, error).string(), 0});
        } else if (fs::is_directory(path, error)) {
            steps.push_back(bindReadOnly(path));
        }
    }
    for (const char* path : {"/opt", "/nix/store", "/gnu/store"}) {
        std::error_code error;
        if (fs::is_directory(path, error)) {
            steps.push_back(bindReadOnly(path));
        }
    }
}

void addEtc(std::vector<Step>& steps)
{
    steps.push_back(directory("/etc"));
    steps.push_back(directory("/etc/default"));
    steps.push_back(directory("/etc/ssl"));
    for (const std::string_view name : kEtcFiles) {
        const std::string path = "/etc/" + std::string(name);
        steps.push_back({StepKind::Copy, path, path, {}, 0});
    }
    for (const std::string_view name : kEtcDirectories) {
        const std::string path = "/etc/" + std::string(name);
        std::error_code error;
        if (fs::is_directory(path, error)) {
            steps.push_back(bindReadOnly(path));
        }
    }
    steps.push_back(
        file("/etc/profile", "[ -n \"$PATH\" ] || PATH=/usr/local/bin:/usr/bin:/bin\nexport PATH\n"));
    steps.push_back(
        file("/etc/nsswitch.conf",
             "passwd: files\ngroup: files\nhosts: files dns\nservices: files\nprotocols: files\n"));
}

void addDevices(std::vector<Step>& steps)
{
    steps.push_back(directory("/dev"));
    for (const std::string_view name : kDevices) {
        const std::string path = "/dev/" + std::string(name);
        steps.push_back({StepKind::Bind, path, path, {}, launcher::bind_flag::kDevice});
    }
    steps.push_back({StepKind::Symlink, {}, "/dev/fd", "/proc/self/fd", 0});
    steps.push_back({StepKind::Symlink, {}, "/dev/stdin", "/proc/self/fd/0", 0});
    steps.push_back({StepKind::Symlink, {}, "/dev/stdout", "/proc/self/fd/1", 0});
    steps.push_back({StepKind::Symlink, {}, "/dev/stderr", "/proc/self/fd/2", 0});
    steps.push_back({StepKind::Terminals, {}, "/dev/pts", {}, 0});
    steps.push_back({StepKind::Symlink, {}, "/dev/ptmx", "pts/ptmx", 0});
    steps.push_back({StepKind::TemporaryFs, {}, "/dev/shm", "mode=1777", 0});
}

void addTemporaryPlaces(std::vector<Step>& steps)
{
    // Programs are built and run in /tmp, so it is not noexec.
    steps.push_back({StepKind::TemporaryFs, {}, "/tmp", "mode=1777", 0});
    steps.push_back({StepKind::TemporaryFs, {}, "/run", "mode=755", 0});
    steps.push_back(directory("/run/lock", "1777"));
    steps.push_back(directory("/var"));
    steps.push_back({StepKind::TemporaryFs, {}, "/var/tmp", "mode=1777", 0});
    steps.push_back({StepKind::Symlink, {}, "/var/run", "/run", 0});
}

std::vector<Step> lookAtSystem()
{
    std::vector<Step> steps{{StepKind::OuterNamespaces, {}, {}, {}, 0}, {StepKind::EmptyRoot, {}, {}, {}, 0}};
    addProgramTrees(steps);
    addEtc(steps);
    addDevices(steps);
    addTemporaryPlaces(steps);
    steps.push_back(directory("/proc"));
    steps.push_back(directory("/sys"));
    steps.push_back(bindReadOnly("/sys/devices/system/cpu")); // processor counts of run-times
    // Here, while revet-session still thinks about the rest: a network takes a third of a millisecond.
    steps.push_back({StepKind::OwnNamespaces, {}, {}, {}, 0});
    steps.push_back({StepKind::HostName, {}, {}, std::string(kHostName), 0});
    steps.push_back({StepKind::Loopback, {}, {}, {}, 0});
    return steps;
}

} // namespace

const std::vector<Step>& systemView()
{
    static const std::vector<Step> kSteps = lookAtSystem();
    return kSteps;
}

std::vector<Step> accountView(const BoxSpec& spec)
{
    const std::string uid = std::to_string(spec.uid);
    const std::string gid = std::to_string(spec.gid);
    return {
        directory("/run/user/" + uid, "700"),
        file("/etc/passwd",
             "root:x:0:0:root:/root:/usr/sbin/nologin\n" + spec.userName + ":x:" + uid + ":" + gid + "::"
                 + spec.home + ":/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"),
        file("/etc/group", "root:x:0:\ntty:x:5:\n" + spec.userName + ":x:" + gid + ":\nnogroup:x:65534:\n"),
        file("/etc/hostname", std::string(kHostName) + "\n"),
        file("/etc/hosts",
             "127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n127.0.1.1 "
                 + std::string(kHostName) + "\n"),
        file("/etc/resolv.conf",
             spec.hasNetwork ? "nameserver 198.18.0.1\n" // the gateway's
                             : "nameserver 127.0.0.1\noptions attempts:1 timeout:1\n"),
        file("/etc/gitconfig", spec.gitConfig),
    };
}

std::vector<std::string> sharedSystemPrefixes()
{
    return {"/usr",       "/bin",       "/sbin", "/lib", "/lib64", "/opt",
            "/nix/store", "/gnu/store", "/proc", "/dev", "/sys"};
}

} // namespace revet::tiers
