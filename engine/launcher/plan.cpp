// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/launcher/plan.h"

#include "engine/base/bytes.h"

#include <array>

namespace revet::launcher {

namespace {

constexpr std::uint32_t kMagic = 0x31545652; // "RVT1"
constexpr std::uint32_t kMaximumSteps = 8192;
constexpr std::uint32_t kMaximumWords = 1U << 20U; // argv and environment together, as the kernel bounds them
constexpr std::size_t kMaximumString = std::size_t{4} << 20U;

constexpr std::array<std::string_view, kStepKindCount> kStepNames = {"outer-namespaces",
                                                                     "empty-root",
                                                                     "directory",
                                                                     "symlink",
                                                                     "file",
                                                                     "copy",
                                                                     "temporary-fs",
                                                                     "bind",
                                                                     "pin",
                                                                     "overlay",
                                                                     "terminals",
                                                                     "remove-at-end",
                                                                     "gateway",
                                                                     "hide-host",
                                                                     "share-root",
                                                                     "own-namespaces",
                                                                     "host-name",
                                                                     "loopback",
                                                                     "inner-mounts",
                                                                     "processes",
                                                                     "detach-host",
                                                                     "read-only",
                                                                     "inner-user",
                                                                     "limit-namespaces",
                                                                     "hide-init",
                                                                     "fresh-keyring",
                                                                     "umask",
                                                                     "no-new-privileges",
                                                                     "drop-capabilities",
                                                                     "load-filter",
                                                                     "close-descriptors"};

void writeSteps(ByteWriter& writer, const std::vector<Step>& steps)
{
    writer.number(static_cast<std::uint32_t>(steps.size()));
    for (const Step& step : steps) {
        writer.number(static_cast<std::uint8_t>(step.kind));
        writer.string(step.source);
        writer.string(step.target);
        writer.string(step.data);
        writer.number(step.flags);
    }
}

Result<std::uint32_t> readCount(ByteReader& reader, std::uint32_t maximum)
{
    REVET_ASSIGN_OR_RETURN(const auto count, reader.number<std::uint32_t>());
    // Every element takes at least four bytes, so a count that cannot be true is refused before allocating.
    if (count > maximum || count > reader.left() / 4) {
        return fail(ErrorCode::Malformed, "read a list longer than its message");
    }
    return count;
}

Result<std::vector<Step>> readSteps(ByteReader& reader)
{
    REVET_ASSIGN_OR_RETURN(const auto count, readCount(reader, kMaximumSteps));
    std::vector<Step> steps;
    steps.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        Step step;
        REVET_ASSIGN_OR_RETURN(const auto kind, reader.number<std::uint8_t>());
        if (kind >= kStepKindCount) {
            return fail(ErrorCode::Malformed, "read an unknown step");
        }
        step.kind = static_cast<StepKind>(kind);
        REVET_ASSIGN_OR_RETURN(step.source, reader.string(kMaximumString));
        REVET_ASSIGN_OR_RETURN(step.target, reader.string(kMaximumString));
        REVET_ASSIGN_OR_RETURN(step.data, reader.string(kMaximumString));
        REVET_ASSIGN_OR_RETURN(step.flags, reader.number<std::uint64_t>());
        steps.push_back(std::move(step));
    }
    return steps;
}

void writeWords(ByteWriter& writer, const std::vector<std::string>& words)
{
    writer.number(static_cast<std::uint32_t>(words.size()));
    for (const std::string& word : words) {
        writer.string(word);
    }
}

Result<std::vector<std::string>> readWords(ByteReader& reader)
{
    REVET_ASSIGN_OR_RETURN(const auto count, readCount(reader, kMaximumWords));
    std::vector<std::string> words;
    words.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        REVET_ASSIGN_OR_RETURN(auto word, reader.string(kMaximumString));
        if (word.find('\0') != std::string::npos) {
            return fail(ErrorCode::Malformed, "read a word with a NUL byte");
        }
        words.push_back(std::move(word));
    }
    return words;
}

Result<void> readMagic(ByteReader& reader)
{
    REVET_ASSIGN_OR_RETURN(const auto magic, reader.number<std::uint32_t>());
    if (magic != kMagic) {
        return fail(ErrorCode::Malformed, "read a plan of another version");
    }
    return {};
}

} // namespace

std::string_view toString(StepKind kind)
{
    return kStepNames.at(static_cast<std::size_t>(kind));
}

std::string describe(const Step& step)
{
    std::string text(toString(step.kind));
    if (!step.source.empty()) {
        text += " " + step.source;
    }
    if (!step.target.empty()) {
        text += (step.source.empty() ? " " : " at ") + step.target;
    }
    if (step.kind == StepKind::Bind && (step.flags & bind_flag::kReadOnly) != 0) {
        text += " (read-only)";
    }
    if (step.kind == StepKind::Symlink || step.kind == StepKind::TemporaryFs) {
        text += " (" + step.data + ")";
    }
    return text;
}

std::string describe(const Plan& plan)
{
    std::string text;
    const auto add = [&text](std::string_view who, const std::vector<Step>& steps) {
        for (const Step& step : steps) {
            text += std::string(who) + ": " + describe(step) + "\n";
        }
    };
    add("keeper", plan.outer);
    add("init", plan.init);
    add("command", plan.command);
    return text;
}

std::string encode(const Plan& plan)
{
    ByteWriter writer;
    writer.number(kMagic);
    writeSteps(writer, plan.outer);
    writeSteps(writer, plan.init);
    writeSteps(writer, plan.command);
    return writer.take();
}

Result<Plan> decodePlan(std::string_view bytes)
{
    ByteReader reader(bytes);
    REVET_RETURN_IF_ERROR(readMagic(reader));
    Plan plan;
    REVET_ASSIGN_OR_RETURN(plan.outer, readSteps(reader));
    REVET_ASSIGN_OR_RETURN(plan.init, readSteps(reader));
    REVET_ASSIGN_OR_RETURN(plan.command, readSteps(reader));
    if (!reader.atEnd()) {
        return fail(ErrorCode::Malformed, "read a plan with bytes left over");
    }
    return plan;
}

std::string encode(const SpawnRequest& request)
{
    ByteWriter writer;
    writer.number(kMagic);
    writeWords(writer, request.argv);
    writeWords(writer, request.environment);
    writer.string(request.workingDirectory);
    writeSteps(writer, request.steps);
    writer.number(static_cast<std::uint8_t>(request.wantsTerminal ? 1 : 0));
    writer.number(request.terminalRows);
    writer.number(request.terminalColumns);
    writer.string(request.terminalSettings);
    writer.number(request.sentStreams);
    writer.number(request.closedStreams);
    writer.number(request.ignoredSignals);
    return writer.take();
}

Result<SpawnRequest> decodeSpawnRequest(std::string_view bytes)
{
    ByteReader reader(bytes);
    REVET_RETURN_IF_ERROR(readMagic(reader));
    SpawnRequest request;
    REVET_ASSIGN_OR_RETURN(request.argv, readWords(reader));
    REVET_ASSIGN_OR_RETURN(request.environment, readWords(reader));
    REVET_ASSIGN_OR_RETURN(request.workingDirectory, reader.string(kMaximumString));
    REVET_ASSIGN_OR_RETURN(request.steps, readSteps(reader));
    REVET_ASSIGN_OR_RETURN(const auto terminal, reader.number<std::uint8_t>());
    REVET_ASSIGN_OR_RETURN(request.terminalRows, reader.number<std::uint16_t>());
    REVET_ASSIGN_OR_RETURN(request.terminalColumns, reader.number<std::uint16_t>());
    REVET_ASSIGN_OR_RETURN(request.terminalSettings, reader.string(kMaximumString));
    REVET_ASSIGN_OR_RETURN(request.sentStreams, reader.number<std::uint8_t>());
    REVET_ASSIGN_OR_RETURN(request.closedStreams, reader.number<std::uint8_t>());
    REVET_ASSIGN_OR_RETURN(request.ignoredSignals, reader.number<std::uint64_t>());
    if (request.argv.empty() || terminal > 1 || request.sentStreams > 7 || request.closedStreams > 7
        || !reader.atEnd()) {
        return fail(ErrorCode::Malformed, "read a request to run a command");
    }
    request.wantsTerminal = terminal == 1;
    return request;
}

} // namespace revet::launcher
