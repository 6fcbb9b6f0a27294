// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/launcher/wire.h"

#include "engine/base/bytes.h"

namespace revet::launcher {

namespace {

constexpr std::size_t kMaximumText = 4096;

} // namespace

std::string encode(const Report& report)
{
    ByteWriter writer;
    writer.number(static_cast<std::uint8_t>(report.kind));
    writer.number(report.command);
    writer.number(report.value);
    writer.string(std::string_view(report.text).substr(0, kMaximumText));
    return writer.take();
}

Result<Report> decodeReport(std::string_view bytes)
{
    ByteReader reader(bytes);
    Report report;
    REVET_ASSIGN_OR_RETURN(const auto kind, reader.number<std::uint8_t>());
    REVET_ASSIGN_OR_RETURN(report.command, reader.number<std::uint32_t>());
    REVET_ASSIGN_OR_RETURN(report.value, reader.number<std::int32_t>());
    REVET_ASSIGN_OR_RETURN(report.text, reader.string(kMaximumText));
    if (kind >= kReportKindCount || !reader.atEnd()) {
        return fail(ErrorCode::Malformed, "read a launcher's report");
    }
    report.kind = static_cast<Report::Kind>(kind);
    return report;
}

std::string encode(const Order& order)
{
    ByteWriter writer;
    writer.number(static_cast<std::uint8_t>(order.kind));
    writer.number(order.command);
    writer.number(order.value);
    return writer.take();
}

Result<Order> decodeOrder(std::string_view bytes)
{
    ByteReader reader(bytes);
    Order order;
    REVET_ASSIGN_OR_RETURN(const auto kind, reader.number<std::uint8_t>());
    REVET_ASSIGN_OR_RETURN(order.command, reader.number<std::uint32_t>());
    REVET_ASSIGN_OR_RETURN(order.value, reader.number<std::int32_t>());
    if (kind >= kOrderKindCount || !reader.atEnd()) {
        return fail(ErrorCode::Malformed, "read an order");
    }
    order.kind = static_cast<Order::Kind>(kind);
    return order;
}

} // namespace revet::launcher
