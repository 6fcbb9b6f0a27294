// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/base/unique_fd.h"
#include "tests/support/tostring.h"

#include <QTest>

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace revet::test {

namespace {

UniqueFd openNull()
{
    return UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
}

bool isOpen(int fd)
{
    return ::fcntl(fd, F_GETFD) >= 0;
}

} // namespace

class UniqueFdTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void ownsNothingAtFirst()
    {
        const UniqueFd none;
        QVERIFY(!none);
        QCOMPARE(none.get(), -1);
    }

    void closesAtTheEndOfItsScope()
    {
        int number = -1;
        {
            const UniqueFd fd = openNull();
            number = fd.get();
            QVERIFY(isOpen(number));
        }
        QVERIFY(!isOpen(number));
    }

    void movesOwnership()
    {
        UniqueFd first = openNull();
        const int number = first.get();
        UniqueFd second(std::move(first));
        QCOMPARE(second.get(), number);
        second = openNull();
        QVERIFY(second.get() == number || !isOpen(number));
    }

    void closesWhatItHeldWhenItGetsAnother()
    {
        UniqueFd fd = openNull();
        const int before = fd.get();
        UniqueFd other = openNull();
        const int after = other.get();
        fd = std::move(other);
        QCOMPARE(fd.get(), after);
        QVERIFY(!isOpen(before));
        QVERIFY(isOpen(after));
    }

    void takesZeroForADescriptorLikeAnyOther()
    {
        const UniqueFd kept(::fcntl(0, F_DUPFD_CLOEXEC, 3));
        {
            const UniqueFd zero(0);
            QVERIFY(zero);
        }
        QVERIFY(!isOpen(0));
        QCOMPARE(::dup2(kept.get(), 0), 0);
    }

    void givesUpWhatIsReleased()
    {
        UniqueFd fd = openNull();
        const int number = fd.release();
        QVERIFY(!fd);
        fd.reset();
        QVERIFY(isOpen(number));
        ::close(number);
    }

    void keepsErrnoWhenItCloses()
    {
        UniqueFd fd(1 << 20); // open in no test
        errno = ENOTDIR;
        fd.reset();
        QCOMPARE(errno, ENOTDIR);
    }

    void duplicatesWithCloseOnExec()
    {
        const UniqueFd fd = openNull();
        const auto copy = fd.duplicate();
        QVERIFY2(copy, why(copy));
        QVERIFY(copy->get() != fd.get());
        QCOMPARE(::fcntl(copy->get(), F_GETFD), FD_CLOEXEC);
    }

    void saysWhyItCannotDuplicate()
    {
        const auto copy = UniqueFd().duplicate();
        QVERIFY(!copy);
        QCOMPARE(copy.error().errnoValue, EBADF);
    }
};

} // namespace revet::test

QTEST_APPLESS_MAIN(revet::test::UniqueFdTest)
#include "tst_unique_fd.moc"
