// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/journal/rows.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace revet::journal {

/// A row of the table chain without its hash: how far each table reached when the batch was written. The rows
/// of a batch are those behind the ends of the batch before it.
struct ChainLink
{
    std::int64_t batch = 0;
    std::int64_t events = 0;
    std::int64_t texts = 0;
    std::int64_t commands = 0;
    std::int64_t processes = 0;
    std::int64_t infos = 0;

    [[nodiscard]] std::array<std::int64_t, 6> values() const
    {
        return {batch, events, texts, commands, processes, infos};
    }
};

using ChainHash = std::array<unsigned char, 32>;

/// Collects the rows of one batch in a form that only they have. Writer and verifier add rows in any order of
/// tables, but each table's in order.
class BatchDigest
{
public:
    void text(std::int64_t id, std::string_view bytes);
    void command(std::int64_t id, std::string_view arguments);
    void info(std::int64_t id, std::string_view name, std::string_view value);
    void process(const ProcessRow& row);
    void event(const EventRow& row);
    /// BLAKE2b-256 over the previous batch's hash and this batch; starts over. It shows damage and edits; who
    /// can write the file could also compute a new chain, unless the newest hash is kept elsewhere.
    [[nodiscard]] ChainHash finish(const ChainHash& previous, const ChainLink& link);

private:
    /// Numbers as LEB128 of their zigzag form, strings behind their length: no two rows look the same.
    class Rows
    {
    public:
        void numbers(std::span<const std::int64_t> values);
        void string(std::string_view bytes);
        void clear() { m_bytes.clear(); }
        [[nodiscard]] const std::string& bytes() const { return m_bytes; }

    private:
        std::string m_bytes;
    };
    Rows m_texts;
    Rows m_commands;
    Rows m_infos;
    Rows m_processes;
    Rows m_events;
};

[[nodiscard]] std::string_view asBytes(const ChainHash& hash);
[[nodiscard]] std::string toHex(const ChainHash& hash);

} // namespace revet::journal
