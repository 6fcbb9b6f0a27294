// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/sandboxees/semantics/probe.h"

#include <cstdio>

namespace revet::victim::semantics {

namespace {

void directories()
{
    check("mkdir", ::mkdir("d", 0777));
    mode("mkdir", "d");
    check("mkdir slash", ::mkdir("d2/", 0777));
    check("mkdir existing", ::mkdir("d", 0777));
    check("mkdir dot", ::mkdir("d/.", 0777));
    check("mkdir dotdot", ::mkdir("d/..", 0777));
    check("mkdir missing parent", ::mkdir("none/x", 0777));
    check("mkdir over file", ::mkdir("first", 0777));
    check("mkdir sticky", ::mkdir("sticky", 01777));
    mode("mkdir sticky", "sticky");
    const int directory = ::open("d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    check("create by directory", ::openat(directory, "in", O_CREAT | O_RDWR | O_CLOEXEC, 0640));
    check("create by directory up", ::openat(directory, "../up", O_CREAT | O_RDWR | O_CLOEXEC, 0640));
    check("mkdirat", ::mkdirat(directory, "below", 0700));
    check("unlinkat", ::unlinkat(directory, "below", 0));
    check("unlinkat directory", ::unlinkat(directory, "below", AT_REMOVEDIR));
    check("unlinkat flags", ::unlinkat(directory, "in", 0x1));
    ::close(directory);
}

void renames()
{
    check("rename", std::rename("first", "moved"));
    check("rename missing", std::rename("none", "x"));
    check("rename over", std::rename("moved", "second"));
    check("rename same", std::rename("second", "second"));
    check("rename directory", std::rename("d", "dd"));
    check("rename into itself", std::rename("dd", "dd/x"));
    check("rename file to directory", std::rename("second", "dd"));
    check("rename directory to file", std::rename("dd", "second"));
    check("rename over full directory", std::rename("d2", "dd"));
    check("rename over empty directory", std::rename("sticky", "d2"));
    check("rename dot", std::rename("dd/.", "x"));
    check("rename with slash", std::rename("dd/", "d/"));
    check("rename file with slash", std::rename("second/", "x"));
    check("noreplace", ::renameat2(AT_FDCWD, "second", AT_FDCWD, "third", RENAME_NOREPLACE));
    check("noreplace free", ::renameat2(AT_FDCWD, "third", AT_FDCWD, "free", RENAME_NOREPLACE));
    check("exchange", ::renameat2(AT_FDCWD, "second", AT_FDCWD, "free", RENAME_EXCHANGE));
    check("exchange missing", ::renameat2(AT_FDCWD, "second", AT_FDCWD, "none", RENAME_EXCHANGE));
    check("exchange kinds", ::renameat2(AT_FDCWD, "second", AT_FDCWD, "d", RENAME_EXCHANGE));
    check("exchange kinds back", ::renameat2(AT_FDCWD, "second", AT_FDCWD, "d", RENAME_EXCHANGE));
    check("rename bad flags", ::renameat2(AT_FDCWD, "second", AT_FDCWD, "x", 0x100));
    check("rename whiteout", ::renameat2(AT_FDCWD, "second", AT_FDCWD, "second", RENAME_WHITEOUT));
    check("rename to other mount", std::rename("second", "/dev/shm/semantics-probe"));
    check("rename symlink", std::rename("dangling", "dangling-moved"));
    check("rename empty", std::rename("", "x"));
}

void links()
{
    check("link", ::link("second", "second-link"));
    check("link existing", ::link("second", "second-link"));
    check("link missing", ::link("none", "x"));
    check("link directory", ::link("d", "d-link"));
    check("link symlink", ::link("dangling-moved", "symlink-link"));
    struct stat status = {};
    static_cast<void>(::lstat("symlink-link", &status));
    value("link symlink kind", status.st_mode & S_IFMT);
    check("link followed", ::linkat(AT_FDCWD, "dangling-moved", AT_FDCWD, "followed", AT_SYMLINK_FOLLOW));
    check("link other mount", ::link("/proc/self/comm", "comm-link"));
    static_cast<void>(::stat("second", &status));
    value("link count", static_cast<long>(status.st_nlink));
    check("symlink existing", ::symlink("a", "second"));
    check("symlink empty", ::symlink("", "empty-target"));
    check("symlink slash", ::symlink("a", "symlink-slash/"));
}

void removals()
{
    check("unlink directory", ::unlink("d"));
    check("rmdir full", ::rmdir("d"));
    check("rmdir file", ::rmdir("second"));
    check("rmdir dot", ::rmdir("d/."));
    check("rmdir dotdot", ::rmdir("d/.."));
    check("unlink", ::unlink("second-link"));
    check("unlink missing", ::unlink("none"));
    check("unlink slash", ::unlink("second/"));
    check("unlink symlink", ::unlink("symlink-link"));
    check("unlink dangling with slash", ::unlink("dangling-moved/"));
    check("rmdir", ::rmdir("d2"));
    check("rmdir root", ::rmdir("/"));
}

} // namespace

void probeNames()
{
    directories();
    renames();
    links();
    removals();
}

} // namespace revet::victim::semantics
