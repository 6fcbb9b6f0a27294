// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/call_decoder.h"
#include "tests/engine/supervisor/own_calls.h"
#include "tests/support/tostring.h"

#include <QTest>

#include <array>
#include <cerrno>
#include <climits>

#include <linux/openat2.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <utime.h>

using namespace revet;
using supervisor::Call;
using supervisor::Operation;
using test::arguments;

namespace {

[[nodiscard]] Result<Call> decode(int number, std::array<std::uint64_t, 6> registers)
{
    const os::Notification notification{7, test::ownThread(), number, registers};
    test::OwnTarget own(notification);
    return supervisor::decodeCall(notification, own.target);
}

[[nodiscard]] int errnoOf(const Result<Call>& call)
{
    return call ? 0 : call.error().errnoValue;
}

constexpr std::uint64_t kNowhere = 8; // in the page that is never mapped

} // namespace

class CallDecoderTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsOpens();
    void dropsWhatOpenDoesNotKnow();
    void holdsOpenat2ToItsRules();
    void tellsReadingFromChanging();
    void readsNamesInTheirOrder();
    void readsDevices();
    void readsAttributes();
    void readsTimesOfEveryAge();
    void meansTheDescriptorWithoutAPath();
    void saysWhatTheKernelWould();
    void readsToTheEndOfAPageAndNoFurther();
    void knowsNoOtherCall();
};

void CallDecoderTest::readsOpens()
{
    const Result<Call> open = decode(SYS_openat, arguments(5, "a/b", O_RDWR | O_CREAT | O_EXCL, 0100644));
    QVERIFY2(open, test::why(open));
    QCOMPARE(open->operation, Operation::Open);
    QCOMPARE(open->path.path, std::string("a/b"));
    QCOMPARE(open->path.directory, 5);
    QCOMPARE(open->flags, std::uint64_t{O_RDWR | O_CREAT | O_EXCL});
    QCOMPARE(open->mode, mode_t{0644});
    QCOMPARE(open->notification, std::uint64_t{7});

    const Result<Call> create = decode(SYS_creat, arguments("/x", 0600));
    QVERIFY2(create, test::why(create));
    QCOMPARE(create->flags, std::uint64_t{O_WRONLY | O_CREAT | O_TRUNC});
    QCOMPARE(create->path.directory, AT_FDCWD);
}

void CallDecoderTest::dropsWhatOpenDoesNotKnow()
{
    const Result<Call> open
        = decode(SYS_open, arguments("/x", 0x7000000000000000 | O_WRONLY | 0100000 | 3 << 26, 0777));
    QVERIFY2(open, test::why(open));
    QCOMPARE(open->flags, std::uint64_t{O_WRONLY});
    QCOMPARE(open->mode, mode_t{0});
    const Result<Call> path = decode(SYS_open, arguments("/x", O_PATH | O_CREAT | O_TRUNC | O_RDWR, 0777));
    QVERIFY2(path, test::why(path));
    QCOMPARE(path->flags, std::uint64_t{O_PATH});
}

void CallDecoderTest::holdsOpenat2ToItsRules()
{
    open_how how{};
    how.flags = O_WRONLY | O_CREAT;
    how.mode = 0640;
    how.resolve = RESOLVE_BENEATH;
    const Result<Call> good = decode(SYS_openat2, arguments(3, "x", &how, sizeof how));
    QVERIFY2(good, test::why(good));
    QCOMPARE(good->resolve, std::uint64_t{RESOLVE_BENEATH});
    QCOMPARE(good->mode, mode_t{0640});

    QCOMPARE(errnoOf(decode(SYS_openat2, arguments(3, "x", &how, sizeof how - 1))), EINVAL);
    QCOMPARE(errnoOf(decode(SYS_openat2, arguments(3, "x", &how, 4097))), E2BIG);
    QCOMPARE(errnoOf(decode(SYS_openat2, arguments(3, "x", kNowhere, sizeof how))), EFAULT);

    std::array<std::uint64_t, 4> later{O_RDONLY, 0, 0, 0};
    QCOMPARE(errnoOf(decode(SYS_openat2, arguments(3, "x", later.data(), sizeof later))), 0);
    later[3] = 1;
    QCOMPARE(errnoOf(decode(SYS_openat2, arguments(3, "x", later.data(), sizeof later))), E2BIG);

    for (const open_how& bad :
         {open_how{1ULL << 40U, 0, 0}, open_how{O_RDONLY, 0644, 0}, open_how{O_RDONLY, 0, 1U << 20U},
          open_how{O_RDONLY, 0, RESOLVE_BENEATH | RESOLVE_IN_ROOT}, open_how{O_CREAT, 0200000, 0},
          open_how{O_PATH | O_RDWR, 0, 0}}) {
        QCOMPARE(errnoOf(decode(SYS_openat2, arguments(3, "x", &bad, sizeof bad))), EINVAL);
    }
}

void CallDecoderTest::tellsReadingFromChanging()
{
    const auto reads = [](int flags) {
        const Result<Call> call = decode(SYS_open, arguments("/x", flags, 0));
        return call && supervisor::isReadingOpen(*call);
    };
    QVERIFY(reads(O_RDONLY));
    QVERIFY(reads(O_RDONLY | O_DIRECTORY));
    QVERIFY(reads(O_PATH | O_RDWR));
    QVERIFY(!reads(O_WRONLY));
    QVERIFY(!reads(O_RDWR));
    QVERIFY(!reads(O_ACCMODE));
    QVERIFY(!reads(O_RDONLY | O_CREAT));
    QVERIFY(!reads(O_RDONLY | O_TRUNC));
    QVERIFY(!reads(O_TMPFILE | O_RDWR));
}

void CallDecoderTest::readsNamesInTheirOrder()
{
    const Result<Call> rename = decode(SYS_renameat2, arguments(3, "old", 4, "new", RENAME_NOREPLACE));
    QVERIFY2(rename, test::why(rename));
    QCOMPARE(rename->operation, Operation::Rename);
    QCOMPARE(rename->path.path, std::string("old"));
    QCOMPARE(rename->path.directory, 3);
    QCOMPARE(rename->second.path, std::string("new"));
    QCOMPARE(rename->second.directory, 4);
    QCOMPARE(rename->flags, std::uint64_t{RENAME_NOREPLACE});

    const Result<Call> link = decode(SYS_symlinkat, arguments("to", 9, "name"));
    QVERIFY2(link, test::why(link));
    QCOMPARE(link->text, std::string("to"));
    QCOMPARE(link->path.path, std::string("name"));
    QCOMPARE(link->path.directory, 9);

    QCOMPARE(decode(SYS_unlinkat, arguments(3, "x", 0))->operation, Operation::Remove);
    QCOMPARE(decode(SYS_unlinkat, arguments(3, "x", AT_REMOVEDIR))->operation, Operation::RemoveDirectory);
    QCOMPARE(decode(SYS_rmdir, arguments("x"))->operation, Operation::RemoveDirectory);
    QCOMPARE(decode(SYS_link, arguments("a", "b"))->second.path, std::string("b"));
    QCOMPARE(decode(SYS_mkdir, arguments("a", 01777))->mode, mode_t{01777});
}

void CallDecoderTest::readsDevices()
{
    const Result<Call> node = decode(SYS_mknodat, arguments(3, "x", S_IFCHR | 0600, makedev(0x123, 0x45678)));
    QVERIFY2(node, test::why(node));
    QCOMPARE(node->mode, mode_t{S_IFCHR | 0600});
    QCOMPARE(node->device, makedev(0x123, 0x45678));
}

void CallDecoderTest::readsAttributes()
{
    const Result<Call> set = decode(SYS_lsetxattr, arguments("x", "user.a", "value", 5, XATTR_CREATE));
    QVERIFY2(set, test::why(set));
    QCOMPARE(set->text, std::string("user.a"));
    QCOMPARE(set->value, std::string("value"));
    QCOMPARE(set->flags, std::uint64_t{XATTR_CREATE | AT_SYMLINK_NOFOLLOW});
    const std::string longName(256, 'n');
    QCOMPARE(errnoOf(decode(SYS_setxattr, arguments("x", longName.c_str(), "", 0, 0))), ERANGE);
    QCOMPARE(errnoOf(decode(SYS_setxattr, arguments("x", "", "", 0, 0))), ERANGE);
    QCOMPARE(errnoOf(decode(SYS_setxattr, arguments("x", "user.a", "", 65537, 0))), E2BIG);
    QCOMPARE(errnoOf(decode(SYS_setxattr, arguments("x", "user.a", "", 0, 4))), EINVAL);
    QCOMPARE(errnoOf(decode(SYS_setxattr, arguments("x", "user.a", kNowhere, 3, 0))), EFAULT);

    const Result<Call> owner = decode(SYS_fchownat, arguments(3, "x", 1, -1, AT_SYMLINK_NOFOLLOW));
    QVERIFY2(owner, test::why(owner));
    QCOMPARE(owner->owner, uid_t{1});
    QCOMPARE(owner->group, static_cast<gid_t>(-1));
    QCOMPARE(decode(SYS_lchown, arguments("x", 1, 2))->flags, std::uint64_t{AT_SYMLINK_NOFOLLOW});
    // fchmodat(2) has no flags: what lies in the fourth register is not one.
    QCOMPARE(decode(SYS_fchmodat, arguments(3, "x", 0755, AT_SYMLINK_NOFOLLOW))->flags, std::uint64_t{0});
    QCOMPARE(decode(452, arguments(3, "x", 0755, AT_SYMLINK_NOFOLLOW))->flags,
             std::uint64_t{AT_SYMLINK_NOFOLLOW});
}

void CallDecoderTest::readsTimesOfEveryAge()
{
    const utimbuf seconds{10, 20};
    const std::array<timeval, 2> micros{{{1, 2}, {3, 4}}};
    const std::array<timespec, 2> nanos{{{1, UTIME_OMIT}, {3, 999'999'999}}};
    QCOMPARE(decode(SYS_utime, arguments("x", &seconds))->times[1].tv_sec, time_t{20});
    QCOMPARE(decode(SYS_utimes, arguments("x", micros.data()))->times[1].tv_nsec, 4000L);
    QCOMPARE(decode(SYS_utimensat, arguments(3, "x", nanos.data(), 0))->times[0].tv_nsec, long{UTIME_OMIT});
    QVERIFY(!decode(SYS_utimensat, arguments(3, "x", 0, 0))->hasTimes);
    const std::array<timeval, 2> wrong{{{1, 1'000'000}, {3, 4}}};
    QCOMPARE(errnoOf(decode(SYS_utimes, arguments("x", wrong.data()))), EINVAL);
}

void CallDecoderTest::meansTheDescriptorWithoutAPath()
{
    QVERIFY(decode(SYS_fchmod, arguments(4, 0600))->path.isDescriptor);
    QCOMPARE(decode(SYS_fchmod, arguments(4, 0600))->path.directory, 4);
    QVERIFY(decode(SYS_utimensat, arguments(4, 0, 0, 0))->path.isDescriptor);
    QVERIFY(decode(SYS_fchownat, arguments(4, "", 1, 1, AT_EMPTY_PATH))->path.isDescriptor);
    QCOMPARE(decode(SYS_fchownat, arguments(AT_FDCWD, "", 1, 1, AT_EMPTY_PATH))->path.path, std::string("."));
    QCOMPARE(errnoOf(decode(SYS_fchownat, arguments(4, "", 1, 1, 0))), ENOENT);
    QCOMPARE(errnoOf(decode(SYS_utimensat, arguments(AT_FDCWD, 0, 0, 0))), EFAULT);
}

void CallDecoderTest::saysWhatTheKernelWould()
{
    const std::string tooLong(PATH_MAX, 'x');
    const std::string longest(PATH_MAX - 1, 'x');
    QCOMPARE(errnoOf(decode(SYS_open, arguments(kNowhere, O_RDONLY))), EFAULT);
    QCOMPARE(errnoOf(decode(SYS_open, arguments(0xffff800000000000U, O_RDONLY))), EFAULT);
    QCOMPARE(errnoOf(decode(SYS_open, arguments("", O_RDONLY))), ENOENT);
    QCOMPARE(errnoOf(decode(SYS_unlink, arguments(tooLong.c_str()))), ENAMETOOLONG);
    QCOMPARE(errnoOf(decode(SYS_unlink, arguments(longest.c_str()))), 0);
    QCOMPARE(errnoOf(decode(SYS_unlinkat, arguments(3, "x", 1))), EINVAL);
    QCOMPARE(errnoOf(decode(SYS_linkat, arguments(3, "x", 3, "y", AT_REMOVEDIR))), EINVAL);
    QCOMPARE(errnoOf(decode(SYS_renameat2, arguments(3, "x", 3, "y", RENAME_EXCHANGE | RENAME_NOREPLACE))),
             EINVAL);
    QCOMPARE(errnoOf(decode(SYS_truncate, arguments("x", -1))), EINVAL);
    QCOMPARE(errnoOf(decode(SYS_faccessat2, arguments(3, "x", 8, 0))), EINVAL);
    QCOMPARE(errnoOf(decode(SYS_symlink, arguments("", "x"))), ENOENT);
}

void CallDecoderTest::readsToTheEndOfAPageAndNoFurther()
{
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    auto* const memory = static_cast<char*>(
        ::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    QVERIFY(memory != MAP_FAILED);
    QCOMPARE(::mprotect(memory + page, page, PROT_NONE), 0);
    char* const atEnd = memory + page - 3;
    std::copy_n("ab", 3, atEnd);
    QCOMPARE(decode(SYS_unlink, arguments(atEnd))->path.path, std::string("ab"));
    atEnd[2] = 'c'; // its end would lie in the guard page
    QCOMPARE(errnoOf(decode(SYS_unlink, arguments(atEnd))), EFAULT);
    QCOMPARE(::mprotect(memory + page, page, PROT_READ | PROT_WRITE), 0);
    memory[page] = 'd';
    QCOMPARE(decode(SYS_unlink, arguments(atEnd))->path.path, std::string("abcd"));
    ::munmap(memory, 2 * page);
}

void CallDecoderTest::knowsNoOtherCall()
{
    QCOMPARE(errnoOf(decode(SYS_read, arguments(0, 0, 0))), ENOSYS);
    QCOMPARE(errnoOf(decode(-1, arguments(0, 0, 0))), ENOSYS);
}

QTEST_APPLESS_MAIN(CallDecoderTest)
#include "tst_call_decoder.moc"
