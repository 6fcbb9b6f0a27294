// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/engine/supervisor/broker_steps.h"

#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace revet::test {

using namespace supervisor;

Call truncating(std::string path, std::int64_t size)
{
    Call made = call(Operation::Truncate, at(std::move(path)));
    made.size = size;
    return made;
}

Call attribute(PathArgument path, std::string name)
{
    Call made = call(Operation::SetAttribute, std::move(path));
    made.text = std::move(name);
    made.value = "v";
    return made;
}

namespace {

Call owning(std::string path, std::uint64_t flags = 0)
{
    Call made = call(Operation::ChangeOwner, at(std::move(path)));
    made.owner = static_cast<uid_t>(-1);
    made.group = ::getgid();
    made.flags = flags;
    return made;
}

const std::string kLongName(299, 'n');

const std::vector<Step> kSteps = {
    {"creat", [] { return opening(at("f1"), O_CREAT | O_RDWR, 0666); }, By::Broker, 027},
    {"creat with flags", [] { return opening(at("f2"), O_CREAT | O_WRONLY | O_CLOEXEC | O_APPEND, 0666); },
     By::Broker, 077},
    {"creat by a child", [] { return opening(at("f3"), O_CREAT | O_WRONLY, 0666); }, By::Broker, 002},
    {"read-only creat", [] { return opening(at("f4"), O_CREAT, 0640); }},
    {"exclusive of an existing", [] { return opening(at("f1"), O_CREAT | O_EXCL | O_WRONLY, 0666); }},
    {"creat in no directory", [] { return opening(at("no/f"), O_CREAT | O_WRONLY, 0666); }, By::Either},
    {"creat below a file", [] { return opening(at("f1/x"), O_CREAT | O_WRONLY, 0666); }, By::Either},
    {"open a directory to write", [] { return opening(at("."), O_WRONLY); }, By::Either},
    {"creat with a slash", [] { return opening(at("newf/"), O_CREAT | O_WRONLY, 0666); }, By::Either},
    {"creat of an existing with a slash", [] { return opening(at("f1/"), O_CREAT | O_WRONLY, 0666); },
     By::Either},
    {"long name", [] { return opening(at(kLongName), O_CREAT | O_WRONLY, 0666); }, By::Either},
    {"empty path", [] { return opening(at(""), O_CREAT | O_WRONLY, 0666); }, By::Either},
    {"link to a link", [] { return symlinking("loopb", at("loopa")); }},
    {"and back", [] { return symlinking("loopa", at("loopb")); }},
    {"loop", [] { return opening(at("loopa"), O_CREAT | O_WRONLY, 0666); }, By::Either},
    {"dangling link", [] { return symlinking("dang-target", at("dang")); }},
    {"exclusive of a dangling link", [] { return opening(at("dang"), O_CREAT | O_EXCL | O_WRONLY, 0666); }},
    {"no-follow of a dangling link",
     [] { return opening(at("dang"), O_CREAT | O_WRONLY | O_NOFOLLOW, 0666); }, By::Either},
    {"creat through a dangling link", [] { return opening(at("dang"), O_CREAT | O_WRONLY, 0666); }},
    {"no-follow of a link", [] { return opening(at("dang"), O_WRONLY | O_NOFOLLOW); }, By::Either},
    {"no-follow of a file", [] { return opening(at("f1"), O_WRONLY | O_NOFOLLOW); }},
    {"write an existing", [] { return opening(at("f1"), O_WRONLY | O_APPEND | O_NONBLOCK); }},
    {"truncating open", [] { return opening(at("f1"), O_CREAT | O_TRUNC | O_RDWR, 0600); }},
    {"truncating read-only open", [] { return opening(at("f4"), O_TRUNC | O_RDONLY); }},
    {"file without a name", [] { return opening(at("."), O_TMPFILE | O_RDWR, 0644); }},
    {"mkdir", [] { return withMode(Operation::MakeDirectory, at("d"), 0777); }},
    {"mkdir with a slash", [] { return withMode(Operation::MakeDirectory, at("d2/"), 0777); }},
    {"mkdir sticky", [] { return withMode(Operation::MakeDirectory, at("d3"), 01777); }, By::Broker, 0},
    {"mkdir of an existing", [] { return withMode(Operation::MakeDirectory, at("d"), 0777); }},
    {"mkdir dot", [] { return withMode(Operation::MakeDirectory, at("d/."), 0777); }, By::Either},
    {"mkdir dot dot", [] { return withMode(Operation::MakeDirectory, at("d/.."), 0777); }, By::Either},
    {"mkdir below nothing", [] { return withMode(Operation::MakeDirectory, at("dang2/x"), 0777); },
     By::Either},
    {"mkdir on a dangling link with a slash",
     [] { return withMode(Operation::MakeDirectory, at("loopa/"), 0777); }},
    {"creat below", [] { return opening(at("d/in"), O_CREAT | O_RDWR, 0640); }},
    {"creat through dot dot", [] { return opening(at("d/../updot"), O_CREAT | O_RDWR, 0640); }},
    {"chmod", [] { return withMode(Operation::ChangeMode, at("f1"), 0755); }},
    {"chmod of a directory", [] { return withMode(Operation::ChangeMode, at("d"), 0750); }},
    {"setgid directory", [] { return withMode(Operation::ChangeMode, at("d3"), 02775); }},
    {"chmod of nothing", [] { return withMode(Operation::ChangeMode, at("nope"), 0755); }, By::Either},
    {"chown to self", [] { return owning("f1"); }},
    {"lchown", [] { return owning("dang", AT_SYMLINK_NOFOLLOW); }},
    {"utimes", [] { return call(Operation::ChangeTimes, at("f1")); }},
    {"utimes of a link",
     [] {
         Call made = call(Operation::ChangeTimes, at("dang"));
         made.flags = AT_SYMLINK_NOFOLLOW;
         return made;
     }},
    {"setxattr", [] { return attribute(at("f1"), "user.y"); }},
    {"setxattr of no namespace", [] { return attribute(at("f1"), "nonsense"); }},
    {"access W_OK", [] { return withMode(Operation::CheckAccess, at("f1"), W_OK); }},
    {"access of nothing", [] { return withMode(Operation::CheckAccess, at("nope"), W_OK); }, By::Either},
    {"access all of a directory",
     [] { return withMode(Operation::CheckAccess, at("."), R_OK | W_OK | X_OK); }},
    {"rename", [] { return twoPaths(Operation::Rename, at("f1"), at("f1b")); }},
    {"rename of nothing", [] { return twoPaths(Operation::Rename, at("nope"), at("x")); }},
    {"rename below nothing", [] { return twoPaths(Operation::Rename, at("f1b"), at("no/x")); }, By::Either},
    {"rename over", [] { return twoPaths(Operation::Rename, at("f1b"), at("f2")); }},
    {"rename a directory", [] { return twoPaths(Operation::Rename, at("d"), at("dd")); }},
    {"rename into itself", [] { return twoPaths(Operation::Rename, at("dd"), at("dd/x")); }},
    {"rename a file to a directory", [] { return twoPaths(Operation::Rename, at("f2"), at("dd")); }},
    {"rename a directory to a file", [] { return twoPaths(Operation::Rename, at("dd"), at("f2")); }},
    {"rename a file with a slash", [] { return twoPaths(Operation::Rename, at("f2/"), at("f9")); }},
    {"rename without replacing",
     [] { return twoPaths(Operation::Rename, at("f2"), at("f3"), RENAME_NOREPLACE); }},
    {"exchange", [] { return twoPaths(Operation::Rename, at("f2"), at("f3"), RENAME_EXCHANGE); }},
    {"exchange with nothing", [] { return twoPaths(Operation::Rename, at("f2"), at("x"), RENAME_EXCHANGE); }},
    {"bad rename flags", [] { return twoPaths(Operation::Rename, at("f2"), at("x"), 0x80); }, By::Either},
    {"rename with slashes", [] { return twoPaths(Operation::Rename, at("dd/"), at("d/")); }},
    {"rename dot", [] { return twoPaths(Operation::Rename, at("d/."), at("x")); }, By::Either},
    {"link", [] { return twoPaths(Operation::MakeLink, at("f3"), at("f3l")); }},
    {"link to an existing", [] { return twoPaths(Operation::MakeLink, at("f3"), at("f3l")); }},
    {"link of a link", [] { return twoPaths(Operation::MakeLink, at("dang"), at("dangl")); }},
    {"link through a link",
     [] { return twoPaths(Operation::MakeLink, at("dang"), at("dangf"), AT_SYMLINK_FOLLOW); }},
    {"link of a directory", [] { return twoPaths(Operation::MakeLink, at("d"), at("dl")); }},
    {"link of nothing", [] { return twoPaths(Operation::MakeLink, at("nope"), at("dl")); }},
    {"link with a slash", [] { return twoPaths(Operation::MakeLink, at("f3"), at("new/")); }},
    {"symlink over", [] { return symlinking("a", at("f3")); }},
    {"symlink with a slash", [] { return symlinking("a", at("new/")); }},
    {"symlink to nothing", [] { return symlinking("", at("new")); }},
    {"write through the second link", [] { return opening(at("f3l"), O_WRONLY | O_APPEND); }},
    {"unlink a directory", [] { return call(Operation::Remove, at("d")); }},
    {"rmdir not empty", [] { return call(Operation::RemoveDirectory, at("d")); }},
    {"rmdir a file", [] { return call(Operation::RemoveDirectory, at("f3")); }},
    {"rmdir dot", [] { return call(Operation::RemoveDirectory, at("d/.")); }, By::Either},
    {"rmdir dot dot", [] { return call(Operation::RemoveDirectory, at("d/..")); }, By::Either},
    {"unlink dot dot", [] { return call(Operation::Remove, at("d/..")); }, By::Either},
    {"unlink with a slash", [] { return call(Operation::Remove, at("f3l/")); }},
    {"unlink a directory with a slash", [] { return call(Operation::Remove, at("d/")); }},
    {"unlink", [] { return call(Operation::Remove, at("f3l")); }},
    {"unlink nothing", [] { return call(Operation::Remove, at("nope")); }},
    {"rmdir", [] { return call(Operation::RemoveDirectory, at("d2/")); }},
    {"mkfifo", [] { return withMode(Operation::MakeNode, at("ff"), S_IFIFO | 0666); }},
    {"mknod of a file", [] { return withMode(Operation::MakeNode, at("plain"), S_IFREG | 0666); }},
    {"mknod of an existing", [] { return withMode(Operation::MakeNode, at("ff"), S_IFIFO | 0666); }},
    {"open a FIFO nobody reads", [] { return opening(at("ff"), O_WRONLY | O_NONBLOCK); }, By::Either},
    {"truncate", [] { return truncating("f3", 100); }},
    {"truncate a directory", [] { return truncating("d", 1); }},
    {"truncate a FIFO", [] { return truncating("ff", 1); }},
    {"truncate negatively", [] { return truncating("f3", -1); }},
};

} // namespace

const std::vector<Step>& brokerSteps()
{
    return kSteps;
}

} // namespace revet::test
