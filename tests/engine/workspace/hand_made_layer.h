// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/workspace/layer_changes.h"
#include "engine/workspace/renames.h"
#include "tests/support/temp_home.h"
#include "tests/support/tostring.h"

#include <QTest>

#include <filesystem>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>

/// Ends the test with the error's text when a Result is one.
#define REVET_VERIFY(result)                                                                                 \
    QVERIFY2((result).has_value(), (result).has_value() ? "" : toString((result).error()).c_str())

namespace revet::workspace::test {

/// A project and a layer over it, written by hand as overlayfs or an enemy would. Paths end below upper() or
/// lower().
class HandMadeLayer
{
public:
    HandMadeLayer()
    {
        std::filesystem::create_directories(upper());
        std::filesystem::create_directories(lower());
    }
    [[nodiscard]] std::filesystem::path upper() const { return m_home.root() / "upper"; }
    [[nodiscard]] std::filesystem::path lower() const { return m_home.root() / "lower"; }
    [[nodiscard]] const std::filesystem::path& root() const { return m_home.root(); }

    void whiteOut(const std::string& path) const
    {
        std::filesystem::create_directories((upper() / path).parent_path());
        QCOMPARE(::mknod((upper() / path).c_str(), S_IFCHR, makedev(0, 0)), 0);
    }
    void mark(const std::string& path, const char* attribute, std::string_view value) const
    {
        QCOMPARE(::setxattr((upper() / path).c_str(), attribute, value.data(), value.size(), 0), 0);
    }
    void makeOpaque(const std::string& path) const
    {
        std::filesystem::create_directories(upper() / path);
        mark(path, "user.overlay.opaque", "y");
    }
    [[nodiscard]] LayerChanges source(std::uint64_t compareBytes = LayerChanges::kCompareAll) const
    {
        return LayerChanges(opened(upper()), opened(lower()), compareBytes);
    }
    [[nodiscard]] static UniqueFd opened(const std::filesystem::path& directory)
    {
        return UniqueFd(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    }

private:
    revet::test::TempHome m_home;
};

/// As a review has them.
inline Result<std::vector<Change>> paired(ChangeSource& source)
{
    REVET_ASSIGN_OR_RETURN(std::vector<Change> changes, source.changes());
    pairRenames(changes, source);
    sortByPath(changes);
    return changes;
}

/// "M a; A d/; R from -> to; D x", with * where the content differs and + where extended attributes do; the
/// error where there is one.
inline std::string told(const Result<std::vector<Change>>& changes)
{
    if (!changes) {
        return toString(changes.error());
    }
    std::string text;
    for (const Change& change : *changes) {
        const Entry& entry = change.after.exists() ? change.after : change.before;
        text += text.empty() ? "" : "; ";
        text += std::string("AMDR").at(static_cast<std::size_t>(change.kind));
        text += ' ' + (change.from.empty() ? "" : change.from + " -> ") + change.path;
        text += entry.type == EntryType::Directory ? "/" : "";
        const bool hasBoth = change.kind == Change::Kind::Modified || change.kind == Change::Kind::Renamed;
        text += hasBoth && change.isContentChanged ? "*" : "";
        text += change.isAttributesChanged ? "+" : "";
    }
    return text;
}

} // namespace revet::workspace::test
