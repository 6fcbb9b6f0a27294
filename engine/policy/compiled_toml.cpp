// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/compiled_toml.h"

#include "engine/base/bytes.h"

namespace revet::policy {

namespace {

// No TOML text has a NUL.
constexpr std::string_view kMark("\0RVT1", 5);
constexpr std::size_t kMaximumBytes = std::size_t{1} << 20U;
constexpr int kMaximumDepth = 32;
constexpr std::size_t kLeastValueBytes = 6; // a kind, a line, a boolean

void write(const TomlValue& value, ByteWriter& writer)
{
    writer.number(static_cast<std::uint8_t>(value.kind));
    writer.number(static_cast<std::uint32_t>(value.line));
    switch (value.kind) {
    case TomlValue::Kind::Text:
        writer.string(value.text);
        return;
    case TomlValue::Kind::Integer:
        writer.number(value.integer);
        return;
    case TomlValue::Kind::Boolean:
        writer.number(static_cast<std::uint8_t>(value.boolean ? 1 : 0));
        return;
    case TomlValue::Kind::List:
        writer.number(static_cast<std::uint32_t>(value.list.size()));
        for (const TomlValue& item : value.list) {
            write(item, writer);
        }
        return;
    case TomlValue::Kind::Table:
        writer.number(static_cast<std::uint32_t>(value.table.size()));
        for (const TomlMember& member : value.table) {
            writer.string(member.key);
            write(member.value, writer);
        }
        return;
    }
}

Result<std::size_t> readCount(ByteReader& reader)
{
    REVET_ASSIGN_OR_RETURN(const auto count, reader.number<std::uint32_t>());
    if (count > reader.left() / kLeastValueBytes) {
        return fail(ErrorCode::Malformed, "read a compiled list longer than its text");
    }
    return std::size_t{count};
}

/// Into its place: a value is large to move about.
Result<void> read(ByteReader& reader, int depth, TomlValue& value)
{
    REVET_ASSIGN_OR_RETURN(const auto kind, reader.number<std::uint8_t>());
    REVET_ASSIGN_OR_RETURN(value.line, reader.number<std::uint32_t>());
    if (kind > static_cast<std::uint8_t>(TomlValue::Kind::Table) || depth > kMaximumDepth) {
        return fail(ErrorCode::Malformed, "read a compiled value of no kind, or nested too deeply");
    }
    value.kind = static_cast<TomlValue::Kind>(kind);
    switch (value.kind) {
    case TomlValue::Kind::Text: {
        REVET_ASSIGN_OR_RETURN(value.text, reader.string(kMaximumBytes));
        break;
    }
    case TomlValue::Kind::Integer: {
        REVET_ASSIGN_OR_RETURN(value.integer, reader.number<std::int64_t>());
        break;
    }
    case TomlValue::Kind::Boolean: {
        REVET_ASSIGN_OR_RETURN(const auto boolean, reader.number<std::uint8_t>());
        value.boolean = boolean != 0;
        break;
    }
    case TomlValue::Kind::List: {
        REVET_ASSIGN_OR_RETURN(const std::size_t count, readCount(reader));
        value.list.reserve(count);
        for (std::size_t i = 0; i < count; ++i) {
            REVET_RETURN_IF_ERROR(read(reader, depth + 1, value.list.emplace_back()));
        }
        break;
    }
    case TomlValue::Kind::Table: {
        REVET_ASSIGN_OR_RETURN(const std::size_t count, readCount(reader));
        value.table.reserve(count);
        for (std::size_t i = 0; i < count; ++i) {
            TomlMember& member = value.table.emplace_back();
            REVET_ASSIGN_OR_RETURN(member.key, reader.string(kMaximumBytes));
            REVET_RETURN_IF_ERROR(read(reader, depth + 1, member.value));
        }
        break;
    }
    }
    return {};
}

} // namespace

std::string compileToml(const TomlValue& root)
{
    ByteWriter writer;
    write(root, writer);
    return std::string(kMark) + writer.bytes();
}

bool isCompiledToml(std::string_view bytes)
{
    return bytes.starts_with(kMark);
}

Result<TomlValue> readCompiledToml(std::string_view bytes)
{
    if (!isCompiledToml(bytes)) {
        return fail(ErrorCode::Malformed, "read a compiled table without its mark");
    }
    ByteReader reader(bytes.substr(kMark.size()));
    TomlValue root;
    REVET_RETURN_IF_ERROR(read(reader, 0, root));
    if (root.kind != TomlValue::Kind::Table || !reader.atEnd()) {
        return fail(ErrorCode::Malformed, "read a compiled table with something behind it");
    }
    return root;
}

} // namespace revet::policy
