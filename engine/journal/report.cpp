// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/journal/report.h"

#include "engine/domain/display_escape.h"

namespace revet::journal {

namespace {

std::string htmlEscape(std::string_view bytes)
{
    std::string text;
    for (const char byte : displayEscape(bytes)) {
        switch (byte) {
        case '&':
            text += "&amp;";
            break;
        case '<':
            text += "&lt;";
            break;
        case '>':
            text += "&gt;";
            break;
        case '"':
            text += "&quot;";
            break;
        case '\'':
            text += "&#39;";
            break;
        default:
            text.push_back(byte);
        }
    }
    return text;
}

/// Every ASCII mark that Markdown or the HTML inside it gives a meaning becomes a character reference, which
/// no renderer interprets again.
std::string markdownEscape(std::string_view bytes)
{
    constexpr std::string_view kMarks = "&<>\"'\\`*_{}[]()#+-!|~:@$^=";
    std::string text;
    for (const char byte : displayEscape(bytes)) {
        if (kMarks.find(byte) == std::string_view::npos) {
            text.push_back(byte);
        } else {
            text += "&#" + std::to_string(static_cast<int>(byte)) + ";";
        }
    }
    return text;
}

} // namespace

Result<void> MarkdownReport::begin(const std::string& title)
{
    return write("# " + markdownEscape(title) + "\n");
}

Result<void> MarkdownReport::beginTable(const std::string& title, const std::vector<std::string>& columns)
{
    std::string text = "\n## " + markdownEscape(title) + "\n\n|";
    for (const std::string& column : columns) {
        text += " " + markdownEscape(column) + " |";
    }
    text += "\n|";
    for (std::size_t i = 0; i < columns.size(); ++i) {
        text += "---|";
    }
    return write(text + "\n");
}

Result<void> MarkdownReport::row(const std::vector<std::string>& cells)
{
    std::string text = "|";
    for (const std::string& cell : cells) {
        text += " " + markdownEscape(cell) + " |";
    }
    return write(text + "\n");
}

Result<void> MarkdownReport::endTable()
{
    return {};
}

Result<void> MarkdownReport::end()
{
    return {};
}

Result<void> HtmlReport::begin(const std::string& title)
{
    const std::string escaped = htmlEscape(title);
    return write("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                 "<meta http-equiv=\"Content-Security-Policy\""
                 " content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<title>"
                 + escaped
                 + "</title>\n<style>body{font-family:sans-serif;margin:2em}table{border-collapse:collapse}"
                   "td,th{border:1px solid #999;padding:.2em .5em;text-align:left;vertical-align:top}"
                   "td{font-family:monospace;overflow-wrap:anywhere;unicode-bidi:isolate}</style></head>\n"
                   "<body><h1>"
                 + escaped + "</h1>\n");
}

Result<void> HtmlReport::beginTable(const std::string& title, const std::vector<std::string>& columns)
{
    std::string text = "<h2>" + htmlEscape(title) + "</h2>\n<table><thead><tr>";
    for (const std::string& column : columns) {
        text += "<th>" + htmlEscape(column) + "</th>";
    }
    return write(text + "</tr></thead><tbody>\n");
}

Result<void> HtmlReport::row(const std::vector<std::string>& cells)
{
    std::string text = "<tr>";
    for (const std::string& cell : cells) {
        text += "<td>" + htmlEscape(cell) + "</td>";
    }
    return write(text + "</tr>\n");
}

Result<void> HtmlReport::endTable()
{
    return write("</tbody></table>\n");
}

Result<void> HtmlReport::end()
{
    return write("</body></html>\n");
}

} // namespace revet::journal
