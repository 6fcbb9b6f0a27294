// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/record.h"

#include "engine/base/bytes.h"
#include "engine/workspace/entry_wire.h"

#include <climits>

namespace revet::workspace {

namespace {

constexpr std::string_view kMagic = "revet transaction 1";
constexpr std::size_t kMaximumPathBytes = 65536; // a tree can be deeper than PATH_MAX
constexpr std::size_t kMaximumAttributeBytes = 65536;

void put(ByteWriter& out, const std::optional<std::string>& value)
{
    out.number(std::uint8_t{value.has_value()});
    out.string(value.value_or(""));
}

void put(ByteWriter& out, const Step& step)
{
    out.number(static_cast<std::uint8_t>(step.kind));
    out.string(step.path);
    out.string(step.source);
    out.number(step.slot);
    put(out, step.object);
    put(out, step.before);
    put(out, step.after);
    out.number(std::uint8_t{step.isWholeTree});
    out.number(std::uint8_t{step.isMerge});
    out.number(step.mode);
    out.number(step.changed);
    out.number(static_cast<std::uint32_t>(step.attributes.size()));
    for (const AttributeChange& attribute : step.attributes) {
        out.string(attribute.name);
        put(out, attribute.before);
        put(out, attribute.after);
    }
}

/// A number that stands for one of an enum's first `count`.
template<typename Enum>
Result<Enum> readEnum(ByteReader& in, std::uint8_t count)
{
    REVET_ASSIGN_OR_RETURN(const auto number, in.number<std::uint8_t>());
    if (number >= count) {
        return fail(ErrorCode::Malformed, "read a record of a transaction");
    }
    return static_cast<Enum>(number);
}

Result<std::optional<std::string>> readValue(ByteReader& in)
{
    REVET_ASSIGN_OR_RETURN(const auto isThere, readEnum<std::uint8_t>(in, 2));
    REVET_ASSIGN_OR_RETURN(std::string value, in.string(kMaximumAttributeBytes));
    return isThere != 0 ? std::optional(std::move(value)) : std::nullopt;
}

Result<Step> readStep(ByteReader& in)
{
    Step step;
    REVET_ASSIGN_OR_RETURN(step.kind, readEnum<Step::Kind>(in, Step::kKindCount));
    REVET_ASSIGN_OR_RETURN(step.path, in.string(kMaximumPathBytes));
    REVET_ASSIGN_OR_RETURN(step.source, in.string(kMaximumPathBytes));
    REVET_ASSIGN_OR_RETURN(step.slot, in.number<std::uint32_t>());
    REVET_ASSIGN_OR_RETURN(step.object, readEntry(in));
    REVET_ASSIGN_OR_RETURN(step.before, readEntry(in));
    REVET_ASSIGN_OR_RETURN(step.after, readEntry(in));
    REVET_ASSIGN_OR_RETURN(step.isWholeTree, readEnum<bool>(in, 2));
    REVET_ASSIGN_OR_RETURN(step.isMerge, readEnum<bool>(in, 2));
    REVET_ASSIGN_OR_RETURN(step.mode, in.number<mode_t>());
    REVET_ASSIGN_OR_RETURN(step.changed, in.number<std::int64_t>());
    REVET_ASSIGN_OR_RETURN(const auto count, in.number<std::uint32_t>());
    for (std::uint32_t i = 0; i < count; ++i) {
        AttributeChange attribute;
        REVET_ASSIGN_OR_RETURN(attribute.name, in.string(NAME_MAX));
        REVET_ASSIGN_OR_RETURN(attribute.before, readValue(in));
        REVET_ASSIGN_OR_RETURN(attribute.after, readValue(in));
        step.attributes.push_back(std::move(attribute));
    }
    return step;
}

} // namespace

std::string encodeRecord(const Record& record)
{
    ByteWriter out;
    out.string(kMagic);
    out.number(static_cast<std::uint8_t>(record.purpose));
    out.number(record.time);
    out.string(record.undoes);
    out.number(static_cast<std::uint32_t>(record.steps.size()));
    for (const Step& step : record.steps) {
        put(out, step);
    }
    return out.take();
}

Result<Record> decodeRecord(std::string_view bytes)
{
    ByteReader in(bytes);
    Record record;
    REVET_ASSIGN_OR_RETURN(const std::string magic, in.string(kMagic.size()));
    if (magic != kMagic) {
        return fail(ErrorCode::Malformed, "read a record of a transaction");
    }
    REVET_ASSIGN_OR_RETURN(record.purpose, readEnum<Purpose>(in, kPurposeCount));
    REVET_ASSIGN_OR_RETURN(record.time, in.number<std::int64_t>());
    REVET_ASSIGN_OR_RETURN(record.undoes, in.string(NAME_MAX));
    REVET_ASSIGN_OR_RETURN(const auto count, in.number<std::uint32_t>());
    for (std::uint32_t i = 0; i < count; ++i) {
        REVET_ASSIGN_OR_RETURN(Step step, readStep(in));
        record.steps.push_back(std::move(step));
    }
    if (!in.atEnd()) {
        return fail(ErrorCode::Malformed, "read a record of a transaction");
    }
    return record;
}

} // namespace revet::workspace
