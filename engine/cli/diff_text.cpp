// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/diff.h"
#include "engine/cli/message.h"
#include "engine/cli/terminal.h"
#include "engine/domain/display_escape.h"

#include <array>

#include <sys/stat.h>

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

/// As git writes it, which knows no more of a mode than whether the file can be run.
std::string_view gitMode(const Entry& entry)
{
    if (entry.type == EntryType::Link) {
        return "120000";
    }
    return (entry.mode & S_IXUSR) != 0 ? "100755" : "100644";
}

bool isInPatch(const Entry& entry)
{
    return entry.type == EntryType::File || entry.type == EntryType::Link;
}

/// A path with its prefix, in quotes where it would not be read as it is.
std::string quoted(const char* prefix, const std::string& path)
{
    const std::string escaped = displayEscape(path);
    const bool isPlain = escaped == path && path.find('"') == std::string::npos;
    return isPlain ? prefix + escaped : '"' + (prefix + escaped) + '"';
}

/// "0755 directory"; git's patches have no words for such, nor for most modes.
std::string inWords(const Entry& entry)
{
    constexpr std::array<std::string_view, 7> kNames
        = {"nothing", "file", "directory", "link", "fifo", "socket", "device"};
    return (entry.exists() ? modeText(entry) + ' ' : "")
        + std::string(kNames.at(static_cast<std::size_t>(entry.type)));
}

void printHeader(Painter& painter, const Change& change)
{
    const std::string& from = change.from.empty() ? change.path : change.from;
    const auto line = [&](const std::string& text) { painter.line(Colour::Header, text); };
    line("diff --git " + quoted("a/", from) + ' ' + quoted("b/", change.path));
    if (!change.before.exists()) {
        line("new file mode " + std::string(gitMode(change.after)));
    } else if (!change.after.exists()) {
        line("deleted file mode " + std::string(gitMode(change.before)));
    } else if (gitMode(change.before) != gitMode(change.after)) {
        line("old mode " + std::string(gitMode(change.before)));
        line("new mode " + std::string(gitMode(change.after)));
    }
    if (change.kind == Change::Kind::Renamed) {
        line("similarity index " + std::to_string(change.similarity) + '%');
        line("rename from " + quoted("", change.from));
        line("rename to " + quoted("", change.path));
    }
}

void printHunks(Painter& painter, const Change& change, const workspace::TextDiff& diff)
{
    const std::string& from = change.from.empty() ? change.path : change.from;
    painter.line(Colour::Header, "--- " + (change.before.exists() ? quoted("a/", from) : "/dev/null"));
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

/// One file of a patch.
void printPatch(Painter& painter, api::Review& review, std::size_t root, const Change& change)
{
    printHeader(painter, change);
    if (!change.isContentChanged) {
        return;
    }
    const auto diff = review.diff(root, change);
    if (!diff) {
        painter.line(Colour::Note, "# its lines cannot be shown: " + unreadText(diff.error()));
    } else if (diff->isBinary || diff->isTooLarge) {
        painter.line(Colour::None,
                     std::string(diff->isBinary ? "Binary files" : "Large files") + " differ ("
                         + std::to_string(change.before.size) + " and " + std::to_string(change.after.size)
                         + " bytes)");
    } else if (!diff->hunks.empty()) {
        printHunks(painter, change, *diff);
    }
}

/// Whether a patch has words for any of it.
bool hasPatch(const Change& change)
{
    return change.kind != Change::Kind::Modified || change.isContentChanged
        || gitMode(change.before) != gitMode(change.after);
}

void printItem(Painter& painter, api::Review& review, std::size_t root, const ReviewItem& item)
{
    const Change& change = item.change;
    if (const std::string text = runLaterText(item.runLater); !text.empty()) {
        painter.line(Colour::Note, (item.runLater.isHeld() ? "# held: " : "# ") + text);
    }
    if (const std::string text = odditiesText(item.oddities); !text.empty()) {
        painter.line(Colour::Note, "# odd: " + text);
    }
    const bool isOtherType
        = change.before.exists() && change.after.exists() && change.before.type != change.after.type;
    const bool isOtherMode = change.before.exists() && change.after.exists()
        && change.before.mode != change.after.mode && gitMode(change.before) == gitMode(change.after);
    const bool isForPatch = (isInPatch(change.before) || !change.before.exists())
        && (isInPatch(change.after) || !change.after.exists());
    if ((!isForPatch && !change.isAttributesOnly()) || isOtherMode) {
        painter.line(Colour::Note,
                     "# from " + inWords(change.before) + " to " + inWords(change.after) + ": "
                         + (change.from.empty() ? "" : displayQuoted(change.from) + " -> ")
                         + displayQuoted(change.path));
    }
    if (change.isAttributesChanged) {
        painter.line(Colour::Note, std::string("# ") + kOtherAttributes + ": " + displayQuoted(change.path));
    }
    if (isForPatch && isOtherType) { // two files to git
        Change gone = change;
        gone.after = {};
        printPatch(painter, review, root, gone);
        Change made = change;
        made.before = {};
        printPatch(painter, review, root, made);
    } else if (isForPatch && hasPatch(change)) {
        printPatch(painter, review, root, change);
    }
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
                printItem(painter, review, root.number, *root.items[i]);
            }
        }
    }
    painter.flush();
    return {};
}

} // namespace revet::cli
