// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/manifest_writer.h"

#include "engine/base/scope_exit.h"

#include <cerrno>

#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/mman.h>
#include <unistd.h>

namespace revet::workspace {

namespace {

/// Taken from the disk ahead, so that a full one still lets thousands of removals be undone.
constexpr std::uint64_t kReserve = std::uint64_t{1} << 20U;

} // namespace

Result<ManifestWriter> ManifestWriter::create(const std::filesystem::path& directory)
{
    ManifestWriter writer;
    const std::string path = (directory / "manifest").string();
    writer.m_file.reset(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600));
    if (!writer.m_file) {
        return failErrno("create " + path);
    }
    return writer;
}

Result<ManifestWriter> ManifestWriter::resume(const std::filesystem::path& directory, const PreImages& images)
{
    ManifestWriter writer;
    const std::string path = (directory / "manifest").string();
    writer.m_file.reset(::open(path.c_str(), O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC));
    if (!writer.m_file || ::ftruncate(writer.m_file.get(), static_cast<off_t>(images.length)) != 0) {
        return failErrno("go on with " + path);
    }
    writer.m_size = images.length;
    if (images.unhappened > 0) {
        PreImageRecord taken;
        taken.kind = PreImageRecord::Kind::Void;
        taken.object = images.unhappened;
        REVET_RETURN_IF_ERROR(writer.append(taken));
    }
    return writer;
}

Result<void> ManifestWriter::append(std::string_view encoded)
{
    if (m_size + encoded.size() > m_reserved) {
        // Not everywhere possible, and then a full disk is told by the write.
        static_cast<void>(::fallocate(m_file.get(), FALLOC_FL_KEEP_SIZE, static_cast<off_t>(m_size),
                                      static_cast<off_t>(kReserve + encoded.size())));
        m_reserved = m_size + kReserve + encoded.size();
    }
    ssize_t written = -1;
    do {
        written = ::write(m_file.get(), encoded.data(), encoded.size());
    } while (written < 0 && errno == EINTR);
    if (written == static_cast<ssize_t>(encoded.size())) {
        m_size += encoded.size();
        return {};
    }
    auto error = fail(Error::fromErrno("note what is about to change", written < 0 ? errno : ENOSPC));
    if (::ftruncate(m_file.get(), static_cast<off_t>(m_size)) != 0) {
        // Half a record, and more would follow it: the log ends here.
        m_file.reset();
    }
    return error;
}

Result<void> ManifestWriter::flush()
{
    return ::fdatasync(m_file.get()) == 0 ? Result<void>()
                                          : failErrno("write the list of pre-images to disk");
}

Result<std::vector<PreImageRecord>> ManifestWriter::readBack() const
{
    if (m_size == 0) {
        return std::vector<PreImageRecord>();
    }
    // Not read into memory: it can be long.
    void* const bytes = ::mmap(nullptr, m_size, PROT_READ, MAP_PRIVATE, m_file.get(), 0);
    if (bytes == MAP_FAILED) {
        return failErrno("read the list of pre-images");
    }
    const ScopeExit unmapped([&] { ::munmap(bytes, m_size); });
    return decodeManifest({static_cast<const char*>(bytes), m_size});
}

} // namespace revet::workspace
