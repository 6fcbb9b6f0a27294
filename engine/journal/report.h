// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace revet::journal {

/// A document of titled tables. Cells are raw bytes: the writer escapes them, twice over, once for the eye
/// and once for its format.
class ReportWriter
{
public:
    using Sink = std::function<Result<void>(std::string_view)>;

    explicit ReportWriter(Sink sink)
        : m_sink(std::move(sink))
    {
    }
    ReportWriter(const ReportWriter&) = delete;
    ReportWriter& operator=(const ReportWriter&) = delete;
    ReportWriter(ReportWriter&&) = delete;
    ReportWriter& operator=(ReportWriter&&) = delete;
    virtual ~ReportWriter() = default;
    [[nodiscard]] virtual Result<void> begin(const std::string& title) = 0;
    [[nodiscard]] virtual Result<void> beginTable(const std::string& title,
                                                  const std::vector<std::string>& columns)
        = 0;
    [[nodiscard]] virtual Result<void> row(const std::vector<std::string>& cells) = 0;
    [[nodiscard]] virtual Result<void> endTable() = 0;
    [[nodiscard]] virtual Result<void> end() = 0;

protected:
    [[nodiscard]] Result<void> write(std::string_view text) const { return m_sink(text); }

private:
    Sink m_sink;
};

class MarkdownReport final : public ReportWriter
{
public:
    using ReportWriter::ReportWriter;
    [[nodiscard]] Result<void> begin(const std::string& title) override;
    [[nodiscard]] Result<void> beginTable(const std::string& title,
                                          const std::vector<std::string>& columns) override;
    [[nodiscard]] Result<void> row(const std::vector<std::string>& cells) override;
    [[nodiscard]] Result<void> endTable() override;
    [[nodiscard]] Result<void> end() override;
};

class HtmlReport final : public ReportWriter
{
public:
    using ReportWriter::ReportWriter;
    [[nodiscard]] Result<void> begin(const std::string& title) override;
    [[nodiscard]] Result<void> beginTable(const std::string& title,
                                          const std::vector<std::string>& columns) override;
    [[nodiscard]] Result<void> row(const std::vector<std::string>& cells) override;
    [[nodiscard]] Result<void> endTable() override;
    [[nodiscard]] Result<void> end() override;
};

} // namespace revet::journal
