// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Prints what a box costs, as ratios within one run: to the same command without a box and to bubblewrap,
// round by round in turn, so that a busy machine disturbs all alike. Never judges a time.

#include "tests/bench/cases.h"
#include "tests/bench/network.h"
#include "tests/bench/reviews.h"
#include "tests/bench/timing.h"
#include "tests/support/kernel_gate.h"
#include "tests/support/session_runner.h"
#include "tests/support/temp_home.h"

#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>

namespace {

namespace fs = std::filesystem;
using revet::bench::Case;

enum class Mode : std::uint8_t { Bare, Bubblewrap, Sandbox, SandboxWrites, Container };
constexpr std::array kModes{Mode::Bare, Mode::Bubblewrap, Mode::Sandbox, Mode::SandboxWrites,
                            Mode::Container};

class Bench
{
public:
    Bench()
    {
        fs::create_directories(shared());
        if (!shell(revet::bench::sharedPreparation(), shared())) {
            std::puts("The shared files could not be made.");
        }
        const std::string revet = revet::test::SessionRunner::program("revet");
        if (!shell("'" + revet + "' project set undo.brake=0", m_home.project())) {
            std::puts("The brake could not be released.");
        }
    }

    void run(const Case& subject)
    {
        std::map<Mode, std::vector<double>> values;
        for (int round = 0; round < subject.rounds; ++round) {
            // Another mode begins each round, so that none always runs on a cold cache.
            for (std::size_t i = 0; i < kModes.size(); ++i) {
                const Mode mode = kModes.at((i + static_cast<std::size_t>(round)) % kModes.size());
                if (const std::optional<double> value = once(subject, mode)) {
                    values[mode].push_back(*value);
                }
            }
        }
        print(subject, values);
    }

private:
    /// Outside of the project, which each start looks through.
    [[nodiscard]] fs::path shared() const { return m_home.home() / "shared"; }
    [[nodiscard]] fs::path victims() const { return m_home.home() / "victims"; }

    [[nodiscard]] std::string replaced(std::string text) const
    {
        for (const auto& [name, value] :
             {std::pair<std::string, std::string>("$SHARED", shared()), {"$VICTIMS", victims()}}) {
            for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += value.size()) {
                text.replace(at, name.size(), value);
            }
        }
        return text;
    }

    [[nodiscard]] bool shell(const std::string& script, const fs::path& directory) const
    {
        return revet::bench::timeProgram({"/bin/sh", "-ec", replaced(script)}, directory,
                                         m_home.environment())
            .has_value();
    }

    [[nodiscard]] std::vector<std::string> commandFor(const Case& subject, Mode mode,
                                                      const fs::path& work) const
    {
        std::vector<std::string> command;
        const std::string revet = revet::test::SessionRunner::program("revet");
        switch (mode) {
        case Mode::Bare:
            break;
        case Mode::Bubblewrap:
            command = {"/usr/bin/bwrap",
                       "--unshare-all",
                       "--die-with-parent",
                       "--ro-bind",
                       "/",
                       "/",
                       "--proc",
                       "/proc",
                       "--dev",
                       "/dev",
                       "--tmpfs",
                       "/tmp",
                       "--bind",
                       m_home.home(),
                       m_home.home(),
                       "--chdir",
                       work,
                       "--"};
            break;
        case Mode::Sandbox:
        case Mode::SandboxWrites:
            command = {revet, "run", "--tier", "sandbox"};
            break;
        case Mode::Container:
            command = {revet, "run", "--tier", "container"};
            break;
        }
        if (mode == Mode::SandboxWrites) {
            command.insert(command.end(), {"--observe", "writes"});
        }
        if (mode != Mode::Bare && mode != Mode::Bubblewrap) {
            command.insert(command.end(),
                           {"--project", m_home.project(), "--bind-ro", victims().string(), "--"});
        }
        for (const std::string& word : subject.command) {
            command.push_back(replaced(word));
        }
        return command;
    }

    /// Nothing when it did not work, which the table shows as a missing value.
    std::optional<double> once(const Case& subject, Mode mode)
    {
        const fs::path work = m_home.project() / ("work" + std::to_string(++m_runs));
        fs::create_directory(work);
        std::optional<double> value;
        if (subject.prepare.empty() || shell(subject.prepare, work)) {
            if (const auto timed
                = revet::bench::timeProgram(commandFor(subject, mode, work), work, m_home.environment())) {
                value = valueOf(subject, *timed);
            }
        }
        revet::test::removeTree(work);
        return value;
    }

    static std::optional<double> valueOf(const Case& subject, const revet::bench::Timed& timed)
    {
        if (subject.events > 0) {
            return static_cast<double>(subject.events) / timed.wall.count();
        }
        if (subject.reportedAs.empty()) {
            constexpr double kMillisecondsPerSecond = 1000;
            return timed.wall.count() * kMillisecondsPerSecond;
        }
        const std::size_t at = timed.out.find(subject.reportedAs);
        return at == std::string::npos
            ? std::nullopt
            : std::optional<double>(std::stod(timed.out.substr(at + subject.reportedAs.size())));
    }

    static void print(const Case& subject, const std::map<Mode, std::vector<double>>& values)
    {
        std::map<Mode, double> medians;
        for (const auto& [mode, all] : values) {
            medians[mode] = revet::bench::median(all);
        }
        const double bare = medians[Mode::Bare];
        const double bubblewrap = medians[Mode::Bubblewrap];
        const char* const unit = subject.events > 0 ? "/s" : subject.reportedAs.empty() ? "ms" : "ns";
        std::printf("%-30s %10.1f %-2s", subject.name.c_str(), bare, unit);
        for (const Mode mode : {Mode::Bubblewrap, Mode::Sandbox, Mode::SandboxWrites, Mode::Container}) {
            const double value = medians[mode];
            if (value == 0 || bare == 0) {
                std::printf(" %8s", "-");
            } else if (subject.events > 0) {
                std::printf(" %8.0f", value);
            } else if (!subject.reportedAs.empty()) {
                std::printf(" %+8.0f", value - bare);
            } else {
                std::printf(" %8.2f", value / bare);
            }
        }
        for (const Mode mode : {Mode::Sandbox, Mode::Container}) {
            if (subject.events > 0 || !subject.reportedAs.empty() || bubblewrap == 0 || medians[mode] == 0) {
                std::printf(" %8s", "");
            } else {
                std::printf(" %8.2f", medians[mode] / bubblewrap);
            }
        }
        std::printf("   %s\n", subject.goal.c_str());
        static_cast<void>(std::fflush(stdout));
    }

    revet::test::TempHome m_home;
    int m_runs = 0;

public:
    void installVictims() const
    {
        fs::create_directories(victims());
        fs::copy_file(fs::path(REVET_VICTIM_DIRECTORY) / "many_opens", victims() / "many_opens");
    }
};

} // namespace

int main(int argc, char** argv)
{
    if (const std::string reason = revet::test::whyNotOrdinaryUser(); !reason.empty()) {
        std::printf("revet-bench: %s\n", reason.c_str());
        return 0;
    }
    Bench bench;
    bench.installVictims();
    std::printf("Medians. Times: bare in ms, the rest as ratios to bare; then ratios to bubblewrap (sandbox, "
                "container).\nNanoseconds: what is added to bare. Events: a second.\n\n");
    std::printf("%-30s %13s %8s %8s %8s %8s %8s %8s\n", "", "bare", "bwrap", "sandbox", "s-writes",
                "contain.", "s/bwrap", "c/bwrap");
    for (const Case& subject : revet::bench::allCases()) {
        if (argc < 2 || subject.name.find(argv[1]) != std::string::npos) {
            bench.run(subject);
        }
    }
    revet::bench::printReviews(argc < 2 ? "" : argv[1]);
    if (argc < 2 || std::string(argv[1]) == "network") {
        revet::bench::printNetwork();
    }
    return 0;
}
