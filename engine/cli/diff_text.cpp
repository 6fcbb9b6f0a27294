// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/diff.h"
#include "engine/cli/message.h"
#include "engine/cli/terminal.h"
#include "engine/domain/display_escape.h"

#include <array>
#include <cstdio>

namespace revet::cli {

namespace {

using workspace::Change;
using workspace::Entry;
using workspace::EntryType;
using workspace::ReviewItem;

enum class Colour { None, Note, Header, Hunk, Added, Removed };

class Painter
{
public:
    explicit Painter(bool isColoured)
        : m_isColoured(isColoured)
    {
    }
    /// `text` is fit for a screen.
    void line(Colour colour, std::string_view text)
    {
        if (m_isColoured && colour != Colour::None) {
            constexpr std::array<std::string_view, 6> kStarts
                = {"", "\x1b[33m", "\x1b[1m", "\x1b[36m", "\x1b[32m", "\x1b[31m"};
            m_text += kStarts.at(static_cast<std::size_t>(colour));
            m_text += text;
            m_text += "\x1b[m";
        } else {
            m_text += text;
        }
        m_text += '\n';
        flush(std::size_t{1} << 16U);
    }
    void flush(std::size_t atLeast = 1)
    {
        if (m_text.size() >= atLeast) {
            print(m_text);
            m_text.clear();
        }
    }

private:
    bool m_isColoured;
    std::string m_text;
};

/// As git writes it: "100755", "120000".
std::string modeOf(const Entry& entry)
{
    if (entry.type == EntryType::Link) {
        return "120000";
    }
    std::array<char, 16> text{};
    const unsigned kind = entry.type == EntryType::Directory ? 040000U : 0100000U;
    std::snprintf(text.data(), text.size(), "%06o", kind | entry.mode);
    return text.data();
}

/// A path with its prefix, in quotes where it would not be read as it is.
std::string quoted(const char* prefix, const std::string& path)
{
    const std::string escaped = displayEscape(path);
    const bool isPlain = escaped == path && path.find('"') == std::string::npos;
    return isPlain ? prefix + escaped : '"' + (prefix + escaped) + '"';
}

std::string kindOf(const Entry& entry)
{
    switch (entry.type) {
    case EntryType::Fifo:
        return "fifo";
    case EntryType::Socket:
        return "socket";
    case EntryType::Device:
        return "device";
    case EntryType::Absent:
    case EntryType::File:
    case EntryType::Directory:
    case EntryType::Link:
        break;
    }
    return {};
}

void printHeader(Painter& painter, const Change& change)
{
    const std::string& from = change.from.empty() ? change.path : change.from;
    painter.line(Colour::Header, "diff --git " + quoted("a/", from) + ' ' + quoted("b/", change.path));
    const auto line = [&](const std::string& text) { painter.line(Colour::Header, text); };
    switch (change.kind) {
    case Change::Kind::Added:
        line("new file mode " + modeOf(change.after));
        break;
    case Change::Kind::Deleted:
        line("deleted file mode " + modeOf(change.before));
        break;
    case Change::Kind::Modified:
    case Change::Kind::Renamed:
        if (modeOf(change.before) != modeOf(change.after)) {
            line("old mode " + modeOf(change.before));
            line("new mode " + modeOf(change.after));
        }
        break;
    }
    if (change.kind == Change::Kind::Renamed) {
        line("similarity index 100%");
        line("rename from " + quoted("", change.from));
        line("rename to " + quoted("", change.path));
    }
}

void printHunks(Painter& painter, const Change& change, const workspace::TextDiff& diff)
{
    painter.line(Colour::Header, "--- " + (change.before.exists() ? quoted("a/", change.path) : "/dev/null"));
    painter.line(Colour::Header, "+++ " + (change.after.exists() ? quoted("b/", change.path) : "/dev/null"));
    for (const workspace::Hunk& hunk : diff.hunks) {
        painter.line(Colour::Hunk, displayLine(hunk.header));
        for (const workspace::DiffLine& line : hunk.lines) {
            std::string_view text = line.text;
            const bool hasEnd = text.ends_with('\n');
            text.remove_suffix(hasEnd ? 1 : 0);
            const Colour colour = line.origin == '+' ? Colour::Added
                : line.origin == '-'                 ? Colour::Removed
                                                     : Colour::None;
            painter.line(colour, line.origin + displayLine(text));
            if (!hasEnd) {
                painter.line(Colour::None, "\\ No newline at end of file");
            }
        }
    }
}

Result<void> printItem(Painter& painter, api::Review& review, std::size_t root, const ReviewItem& item)
{
    const Change& change = item.change;
    if (const std::string text = runLaterText(item.runLater); !text.empty()) {
        painter.line(Colour::Note, (item.runLater.isHeld() ? "# held: " : "# ") + text);
    }
    if (const std::string text = odditiesText(item.oddities); !text.empty()) {
        painter.line(Colour::Note, "# odd: " + text);
    }
    printHeader(painter, change);
    if (const std::string kind = kindOf(change.after); !kind.empty()) {
        painter.line(Colour::Note, "# a " + kind);
    }
    if (!change.isContentChanged) {
        return {};
    }
    auto diff = review.diff(root, change);
    if (!diff) {
        painter.line(Colour::Note, "# it cannot be read: " + displayEscape(toString(diff.error())));
        return {};
    }
    if (diff->isBinary || diff->isTooLarge) {
        painter.line(Colour::None,
                     std::string(diff->isBinary ? "Binary files" : "Large files") + " differ ("
                         + std::to_string(change.before.size) + " and " + std::to_string(change.after.size)
                         + " bytes)");
    } else if (!diff->hunks.empty()) {
        printHunks(painter, change, *diff);
    }
    return {};
}

} // namespace

Result<void> printDiffText(api::Review& review, const std::vector<ShownRoot>& roots)
{
    Painter painter(canColour());
    for (const ShownRoot& root : roots) {
        if (root.number != 0 && !root.items.empty()) {
            painter.line(Colour::Note, "# in " + displayQuoted(*root.path));
        }
        for (const RepositorySum& sum : sumUpRepositories(root)) {
            painter.line(Colour::Note,
                         "# repository " + displayQuoted(sum.repository.empty() ? "." : sum.repository) + ": "
                             + sum.text);
        }
        for (std::size_t i = 0; i < root.items.size(); ++i) {
            if (!isSummedUp(*root.items[i]) && isWorthShowing(root, i)) {
                REVET_RETURN_IF_ERROR(printItem(painter, review, root.number, *root.items[i]));
            }
        }
    }
    painter.flush();
    return {};
}

} // namespace revet::cli
