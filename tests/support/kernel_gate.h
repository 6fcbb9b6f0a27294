// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QTest>

#include <cstdint>
#include <string>

namespace revet::test {

/// What a test may need of the machine beyond the kernel floor.
enum class KernelFeature : std::uint8_t {
    UserNamespaces, ///< an ordinary user gets user, mount, pid and net namespaces and may mount in them
    Overlay, ///< overlayfs in a user namespace, with userxattr
    SeccompNotify, ///< a listener with WAIT_KILLABLE_RECV (Linux 5.19)
    Landlock,
};

/// Why the feature cannot be used here; empty when it can. Tried in a forked child, never in the test
/// itself: Qt Test has a second thread, and a namespace of the test would outlive the slot.
[[nodiscard]] std::string whyMissing(KernelFeature feature);
/// Why a program that the test runs cannot be found in /usr/local/bin, /usr/bin, /bin or their sbin.
[[nodiscard]] std::string whyNoProgram(const std::string& name);
/// Why this user cannot run sessions: Revet refuses root.
[[nodiscard]] std::string whyNotOrdinaryUser();

/// Whether a missing feature fails the test (REVET_MUST_WORK=1, as CI sets it) instead of skipping it.
[[nodiscard]] bool mustWork();

} // namespace revet::test

// Macros, since QSKIP and QFAIL leave the slot that they stand in.
#define REVET_SKIP_IF_(reason)                                                                               \
    do {                                                                                                     \
        if (const std::string revetReason = (reason); !revetReason.empty()) {                                \
            if (::revet::test::mustWork()) {                                                                 \
                QFAIL(revetReason.c_str());                                                                  \
            }                                                                                                \
            QSKIP(revetReason.c_str());                                                                      \
        }                                                                                                    \
    } while (false)

/// REVET_NEEDS(Overlay); first line of a slot, or of initTestCase() for all of them.
#define REVET_NEEDS(feature) REVET_SKIP_IF_(::revet::test::whyMissing(::revet::test::KernelFeature::feature))
/// REVET_NEEDS_PROGRAM("psql");
#define REVET_NEEDS_PROGRAM(name) REVET_SKIP_IF_(::revet::test::whyNoProgram(name))
#define REVET_NEEDS_ORDINARY_USER() REVET_SKIP_IF_(::revet::test::whyNotOrdinaryUser())
/// What a session of the container tier needs.
#define REVET_NEEDS_LAYERS()                                                                                 \
    REVET_NEEDS_ORDINARY_USER();                                                                             \
    REVET_NEEDS(UserNamespaces);                                                                             \
    REVET_NEEDS(Overlay);                                                                                    \
    REVET_NEEDS(SeccompNotify)
