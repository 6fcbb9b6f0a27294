// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/file_content.h"

#include <QTemporaryFile>
#include <QTest>

#include <string_view>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace revet;
using workspace::contentHash;
using workspace::copyData;
using workspace::isEqualContent;

namespace {

constexpr off_t kTerabyte = off_t{1} << 40;

UniqueFd fileOf(std::string_view bytes, off_t at, off_t size)
{
    UniqueFd file(::memfd_create("test", MFD_CLOEXEC));
    const bool isMade = ::ftruncate(file.get(), size) == 0
        && ::pwrite(file.get(), bytes.data(), bytes.size(), at) == static_cast<ssize_t>(bytes.size());
    return isMade ? std::move(file) : UniqueFd();
}

} // namespace

// NOLINTNEXTLINE(misc-use-internal-linkage)
class FileContentTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void comparesWhatIsThere_data();
    void comparesWhatIsThere();
    void takesWrittenZerosForAHole();
    void copiesDataAndLeavesHoles();
    void copiesByHandWhereTheKernelDoesNot();
};

void FileContentTest::comparesWhatIsThere_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<qint64>("at");
    QTest::addColumn<qint64>("size");
    QTest::addColumn<bool>("isEqual");
    const qint64 middle = kTerabyte / 2 + 12'345;
    QTest::newRow("the same") << QByteArray("word") << middle << qint64{kTerabyte} << true;
    QTest::newRow("another word") << QByteArray("ward") << middle << qint64{kTerabyte} << false;
    QTest::newRow("elsewhere in the chunk") << QByteArray("word") << middle + 1 << qint64{kTerabyte} << false;
    QTest::newRow("in another chunk") << QByteArray("word") << qint64{0} << qint64{kTerabyte} << false;
    QTest::newRow("a word more") << QByteArray(100'000, 'x') << middle << qint64{kTerabyte} << false;
    QTest::newRow("shorter") << QByteArray("word") << middle << qint64{kTerabyte} - 1 << false;
    QTest::newRow("nothing") << QByteArray() << qint64{0} << qint64{kTerabyte} << false;
}

void FileContentTest::comparesWhatIsThere()
{
    QFETCH(const QByteArray, bytes);
    QFETCH(const qint64, at);
    QFETCH(const qint64, size);
    QFETCH(const bool, isEqual);
    const UniqueFd one = fileOf("word", kTerabyte / 2 + 12'345, kTerabyte);
    const UniqueFd other = fileOf(bytes.toStdString(), at, size);
    QVERIFY(one && other);
    QCOMPARE(isEqualContent(one, other).value(), isEqual);
    QCOMPARE(isEqualContent(other, one).value(), isEqual);
    QCOMPARE(contentHash(one).value() == contentHash(other).value(), isEqual);
}

void FileContentTest::takesWrittenZerosForAHole()
{
    const UniqueFd hole = fileOf({}, 0, 300'000);
    const UniqueFd zeros = fileOf(std::string(300'000, '\0'), 0, 300'000);
    QVERIFY(isEqualContent(hole, zeros).value());
    QCOMPARE(contentHash(hole).value(), contentHash(zeros).value());
}

void FileContentTest::copiesDataAndLeavesHoles()
{
    const UniqueFd from = fileOf("word", kTerabyte / 2 + 12'345, kTerabyte);
    const UniqueFd to = fileOf({}, 0, 0);
    QVERIFY(copyData(from, to, kTerabyte).value());
    QVERIFY(isEqualContent(from, to).value());
    struct stat status = {};
    QCOMPARE(::fstat(to.get(), &status), 0);
    QVERIFY(status.st_blocks < 2048); // of 512 bytes: not the terabyte
}

void FileContentTest::copiesByHandWhereTheKernelDoesNot()
{
    QTemporaryFile elsewhere(
        QStringLiteral("/var/tmp/revet-XXXXXX")); // another file system than memory files'
    QVERIFY(elsewhere.open());
    const UniqueFd to(::fcntl(elsewhere.handle(), F_DUPFD_CLOEXEC, 0));
    const UniqueFd from = fileOf(std::string(200'001, 'x'), 70'000, 400'000);
    QVERIFY(copyData(from, to, 400'000).value());
    QVERIFY(isEqualContent(from, to).value());
}

QTEST_APPLESS_MAIN(FileContentTest)
#include "tst_file_content.moc"
