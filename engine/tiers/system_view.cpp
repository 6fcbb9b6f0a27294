// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/tiers/system_view.h"

#include "engine/base/unique_fd.h"
#include "engine/os/socket.h"

#include <array>
#include <filesystem>
#include <string_view>

#include <fcntl.h>

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
constexpr std::size_t kMaximumCopiedBytes = std::size_t{1} << 20U;

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

/// The content of a small file; empty when there is none to be had.
std::string copyOf(const std::string& path)
{
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file) {
        return {};
    }
    return os::readAll(file.get(), kMaximumCopiedBytes).value_or(std::string());
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

/// Names of accounts: enough for "who am I" and file owners, nobody else of the machine.
void addAccounts(const BoxSpec& spec, std::vector<Step>& steps)
{
    const std::string uid = std::to_string(spec.uid);
    const std::string gid = std::to_string(spec.gid);
    steps.push_back({StepKind::File,
                     {},
                     "/etc/passwd",
                     "root:x:0:0:root:/root:/usr/sbin/nologin\n" + spec.userName + ":x:" + uid + ":" + gid
                         + "::" + spec.home
                         + ":/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
                     0});
    steps.push_back({StepKind::File,
                     {},
                     "/etc/group",
                     "root:x:0:\ntty:x:5:\n" + spec.userName + ":x:" + gid + ":\nnogroup:x:65534:\n",
                     0});
}

void addEtc(const BoxSpec& spec, std::vector<Step>& steps)
{
    steps.push_back(directory("/etc"));
    steps.push_back(directory("/etc/default"));
    steps.push_back(directory("/etc/ssl"));
    for (const std::string_view name : kEtcFiles) {
        const std::string path = "/etc/" + std::string(name);
        if (std::string content = copyOf(path); !content.empty()) {
            steps.push_back({StepKind::File, {}, path, std::move(content), 0});
        }
    }
    for (const std::string_view name : kEtcDirectories) {
        const std::string path = "/etc/" + std::string(name);
        std::error_code error;
        if (fs::is_directory(path, error)) {
            steps.push_back(bindReadOnly(path));
        }
    }
    addAccounts(spec, steps);
    steps.push_back({StepKind::File,
                     {},
                     "/etc/profile",
                     "[ -n \"$PATH\" ] || PATH=/usr/local/bin:/usr/bin:/bin\nexport PATH\n",
                     0});
    steps.push_back({StepKind::File, {}, "/etc/hostname", spec.hostName + "\n", 0});
    steps.push_back(
        {StepKind::File,
         {},
         "/etc/hosts",
         "127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n127.0.1.1 " + spec.hostName + "\n",
         0});
    steps.push_back({StepKind::File,
                     {},
                     "/etc/nsswitch.conf",
                     "passwd: files\ngroup: files\nhosts: files dns\nservices: files\nprotocols: files\n",
                     0});
    steps.push_back(
        {StepKind::File, {}, "/etc/resolv.conf", "nameserver 127.0.0.1\noptions attempts:1 timeout:1\n", 0});
    steps.push_back({StepKind::File, {}, "/etc/gitconfig", spec.gitConfig, 0});
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

void addTemporaryPlaces(const BoxSpec& spec, std::vector<Step>& steps)
{
    // Programs are built and run in /tmp, so it is not noexec.
    steps.push_back({StepKind::TemporaryFs, {}, "/tmp", "mode=1777", 0});
    steps.push_back({StepKind::TemporaryFs, {}, "/run", "mode=755", 0});
    steps.push_back(directory("/run/lock", "1777"));
    steps.push_back(directory("/run/user/" + std::to_string(spec.uid), "700"));
    steps.push_back(directory("/var"));
    steps.push_back({StepKind::TemporaryFs, {}, "/var/tmp", "mode=1777", 0});
    steps.push_back({StepKind::Symlink, {}, "/var/run", "/run", 0});
}

} // namespace

std::vector<Step> systemView(const BoxSpec& spec)
{
    std::vector<Step> steps;
    addProgramTrees(steps);
    addEtc(spec, steps);
    addDevices(steps);
    addTemporaryPlaces(spec, steps);
    steps.push_back(directory("/proc"));
    steps.push_back(directory("/sys"));
    steps.push_back(bindReadOnly("/sys/devices/system/cpu")); // processor counts of run-times
    return steps;
}

std::vector<std::string> sharedSystemPrefixes()
{
    return {"/usr",       "/bin",       "/sbin", "/lib", "/lib64", "/opt",
            "/nix/store", "/gnu/store", "/proc", "/dev", "/sys"};
}

} // namespace revet::tiers
