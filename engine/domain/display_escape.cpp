// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/domain/display_escape.h"

#include "engine/domain/byte_text.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <utf8proc.h>

namespace revet {

namespace {

constexpr std::string_view kHexDigits = "0123456789ABCDEF";
constexpr std::int32_t kBrailleBlank = 0x2800; // a "symbol" without any ink
/// Vietnamese, Hebrew and Thai need three marks on a letter; a flood of them covers the lines around it.
constexpr int kMaximumMarks = 4;

void appendHexByte(std::string& text, unsigned char byte)
{
    text += "\\x";
    text += kHexDigits[byte >> 4U];
    text += kHexDigits[byte & 0xfU];
}

void appendCodePointEscape(std::string& text, std::int32_t value)
{
    std::string digits;
    for (auto rest = static_cast<std::uint32_t>(value); rest != 0; rest >>= 4U) {
        digits.insert(digits.begin(), kHexDigits[rest & 0xfU]);
    }
    text += "\\u{" + digits + '}';
}

/// What may stay as it is although an escape would be clearer.
enum class Kind { Name, Line };

void appendAscii(std::string& text, unsigned char byte, Kind kind)
{
    const bool stays = kind == Kind::Line && (byte == '\t' || byte == '\\');
    if (byte == '\n') {
        text += "\\n";
    } else if (byte == '\t' && !stays) {
        text += "\\t";
    } else if (byte == '\\' && !stays) {
        text += "\\\\";
    } else if ((byte < 0x20 || byte == 0x7f) && !stays) {
        appendHexByte(text, byte);
    } else {
        text += static_cast<char>(byte);
    }
}

bool isMark(utf8proc_category_t category)
{
    return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_MC
        || category == UTF8PROC_CATEGORY_ME;
}

/// An allow-list, so that a character of a later Unicode version is escaped until it is known.
bool hasInk(std::int32_t value)
{
    const utf8proc_property_t& property = *utf8proc_get_property(value);
    if (property.ignorable != 0 || value == kBrailleBlank) {
        return false; // Hangul fillers, variation selectors, tags, joiners
    }
    const auto category = static_cast<utf8proc_category_t>(property.category);
    const bool isLetterMarkNumberOrSymbol
        = category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_SO;
    return isLetterMarkNumberOrSymbol || value == ' ';
}

struct FreeDeleter
{
    // utf8proc_map() hands over memory of malloc().
    // NOLINTNEXTLINE(cppcoreguidelines-no-malloc)
    void operator()(void* memory) const { std::free(memory); }
};

/// Whether normal form C would leave the text as it is. Two names that differ only by their form must not
/// look alike, so what is not normal is shown as escapes.
bool isNormal(std::string_view text)
{
    utf8proc_uint8_t* mapped = nullptr;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
    const auto* const start = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
    const utf8proc_ssize_t size
        = utf8proc_map(start, static_cast<utf8proc_ssize_t>(text.size()), &mapped,
                       static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
    const std::unique_ptr<utf8proc_uint8_t, FreeDeleter> owned(mapped);
    return size == static_cast<utf8proc_ssize_t>(text.size())
        && std::equal(text.begin(), text.end(), mapped, [](char left, utf8proc_uint8_t right) {
               return static_cast<utf8proc_uint8_t>(left) == right;
           });
}

/// Follows the character that marks attach to.
class MarkGuard
{
public:
    void forget() { m_cluster.clear(); }
    /// Whether this character may be shown as it is after what was shown before.
    [[nodiscard]] bool accepts(std::string_view character, std::int32_t value)
    {
        const bool isAttached = isMark(utf8proc_category(value));
        if (isAttached && (m_cluster.empty() || m_cluster == " " || m_marks == kMaximumMarks)) {
            return false;
        }
        // Also for what is no mark: conjoining Hangul letters compose.
        m_cluster += character;
        if (!isNormal(m_cluster)) {
            return false;
        }
        if (isAttached) {
            ++m_marks;
        } else {
            m_cluster = character;
            m_marks = 0;
        }
        return true;
    }

private:
    std::string m_cluster;
    int m_marks = 0;
};

/// The pieces that must not be cut: one character with its marks, or one escape of displayEscape().
std::vector<std::string_view> splitPieces(std::string_view escaped)
{
    std::vector<std::string_view> pieces;
    while (!escaped.empty()) {
        std::size_t size = 1;
        if (escaped.starts_with("\\x")) {
            size = 4;
        } else if (escaped.starts_with("\\u{")) {
            size = std::min(escaped.find('}'), escaped.size() - 1) + 1;
        } else if (escaped.front() == '\\') {
            size = 2;
        } else {
            size = firstCodePoint(escaped).size;
            while (size < escaped.size()) {
                const CodePoint next = firstCodePoint(escaped.substr(size));
                if (next.value < 0 || !isMark(utf8proc_category(next.value))) {
                    break;
                }
                size += next.size;
            }
        }
        size = std::min(size, escaped.size());
        pieces.push_back(escaped.substr(0, size));
        escaped.remove_prefix(size);
    }
    return pieces;
}

std::string escape(std::string_view bytes, Kind kind)
{
    std::string text;
    text.reserve(bytes.size());
    MarkGuard marks;
    while (!bytes.empty()) {
        const auto byte = static_cast<unsigned char>(bytes.front());
        const CodePoint point = firstCodePoint(bytes);
        const bool isPlainAscii = byte >= 0x20 && byte < 0x7f && byte != '\\';
        if (isPlainAscii && (bytes.size() == 1 || static_cast<unsigned char>(bytes[1]) < 0x80)) {
            text += static_cast<char>(byte); // the fast path: nothing can attach to it
        } else if (byte < 0x80) {
            appendAscii(text, byte, kind);
            marks.forget();
            if (isPlainAscii) {
                static_cast<void>(marks.accepts(bytes.substr(0, 1), byte));
            }
        } else if (point.value < 0) {
            appendHexByte(text, byte);
            marks.forget();
        } else if (hasInk(point.value) && marks.accepts(bytes.substr(0, point.size), point.value)) {
            text += bytes.substr(0, point.size);
        } else {
            appendCodePointEscape(text, point.value);
            marks.forget();
        }
        bytes.remove_prefix(point.size);
    }
    return text;
}

} // namespace

std::string displayEscape(std::string_view bytes)
{
    return escape(bytes, Kind::Name);
}

std::string displayLine(std::string_view bytes)
{
    return escape(bytes, Kind::Line);
}

std::string displayQuoted(std::string_view bytes)
{
    std::string escaped = displayEscape(bytes);
    const auto isPlain = [](char character) {
        const auto byte = static_cast<unsigned char>(character);
        const bool isLetterOrDigit
            = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9');
        return byte >= 0x80 || isLetterOrDigit
            || std::string_view("_@%+=:,./-").find(character) != std::string_view::npos;
    };
    if (!escaped.empty() && std::all_of(escaped.begin(), escaped.end(), isPlain)) {
        return escaped;
    }
    if (escaped == bytes && escaped.find('\'') == std::string::npos) {
        return "'" + escaped + "'";
    }
    std::string quoted = "$'";
    for (const char character : escaped) {
        if (character == '\'') {
            quoted += '\\';
        }
        quoted += character;
    }
    return quoted + "'";
}

std::size_t displayColumns(std::string_view escaped)
{
    std::size_t columns = 0;
    while (!escaped.empty()) {
        const CodePoint point = firstCodePoint(escaped);
        columns += point.value < 0 ? 1U : static_cast<std::size_t>(utf8proc_charwidth(point.value));
        escaped.remove_prefix(point.size);
    }
    return columns;
}

std::string elideMiddle(std::string_view escaped, std::size_t columns)
{
    if (displayColumns(escaped) <= columns) {
        return std::string(escaped);
    }
    if (columns == 0) {
        return {};
    }
    const std::vector<std::string_view> pieces = splitPieces(escaped);
    // The count says how much is out of view; where there is little room the dots alone must do.
    constexpr std::size_t kRoomForCount = 30;
    const std::string count = "…(" + std::to_string(pieces.size()) + ")…";
    const std::string widestMark = columns >= kRoomForCount ? count : "…";
    const std::size_t room = columns - std::min(columns, displayColumns(widestMark));

    std::size_t head = 0;
    std::size_t used = 0;
    while (head < pieces.size() && used + displayColumns(pieces[head]) <= room / 2) {
        used += displayColumns(pieces[head++]);
    }
    std::size_t tail = pieces.size();
    while (tail > head && used + displayColumns(pieces[tail - 1]) <= room) {
        used += displayColumns(pieces[--tail]);
    }
    std::string text;
    for (std::size_t i = 0; i < head; ++i) {
        text += pieces[i];
    }
    text += columns >= kRoomForCount ? "…(" + std::to_string(tail - head) + ")…" : "…";
    for (std::size_t i = tail; i < pieces.size(); ++i) {
        text += pieces[i];
    }
    return text;
}

} // namespace revet
