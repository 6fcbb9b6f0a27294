// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// What a session says at its end.

#include "engine/base/log.h"
#include "engine/session/box_view.h"
#include "engine/session/running_session.h"
#include "engine/session/workspace_record.h"
#include "engine/workspace/direct_changes.h"
#include "engine/workspace/layer_changes.h"

#include <cerrno>
#include <utility>

#include <fcntl.h>

namespace revet::session {

namespace {

// The person waits for the last lines. Larger copies are judged by their times: some 20 ms from the page
// cache.
constexpr std::uint64_t kComparedBytes = std::uint64_t{64} << 20U;
constexpr std::size_t kMostRecords = 50'000;

Fact noted(std::string target)
{
    return {ActionKind::Session, Verdict::Permitted, Reach::None, std::move(target), {}, {}, 0, 0};
}

} // namespace

/// Before anything can fail: what waits in an earlier session's layer is to be found there at the end of any.
Result<void> RunningSession::openLayers()
{
    const tiers::BoxSpec& spec = m_preparation.spec;
    for (const UniqueFd& upper : m_preparation.uppers) {
        const std::string& path = m_layers.empty() ? spec.project : spec.sideRoots.at(m_layers.size() - 1);
        if (!upper) {
            return fail(ErrorCode::Conflict, "open the layer of " + path, "it was not made for this session");
        }
        UniqueFd lower(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        if (!lower) {
            return failErrno("open the project " + path);
        }
        REVET_ASSIGN_OR_RETURN(UniqueFd layer, upper.duplicate());
        m_layers.push_back(
            std::make_unique<workspace::LayerChanges>(std::move(layer), std::move(lower), kComparedBytes));
    }
    return {};
}

void RunningSession::tellOfRepositories()
{
    if (!m_repositories) {
        return; // no box was ever there
    }
    const GitState now = GitState::of(directRoots(m_preparation.spec));
    for (Fact& change : now.changesSince(*m_repositories)) {
        m_recorder->note(std::move(change));
    }
    m_warning = now.warningSince(*m_repositories);
}

Result<LeftChanges> RunningSession::findLeft(const Places& places)
{
    if (m_isHanging) {
        return fail(ErrorCode::TimedOut, "look at the changes");
    }
    if (m_layers.size() < m_preparation.uppers.size()) {
        return fail(ErrorCode::Unavailable, "open the layer");
    }
    if (!m_undo) {
        return findLeftChanges(m_layers, m_runLater, "held back");
    }
    std::vector<std::unique_ptr<workspace::ChangeSource>> sources;
    for (std::size_t root = 0; root <= m_preparation.spec.sideRoots.size(); ++root) {
        REVET_ASSIGN_OR_RETURN(auto changes,
                               workspace::DirectChanges::open(workspace::preImagesDirectory(
                                   places.sessionDirectory(m_preparation.info.id), root)));
        if (changes->images().records.size() > kMostRecords) {
            return fail(ErrorCode::LimitExceeded, "look at the changes");
        }
        sources.push_back(std::move(changes));
    }
    return findLeftChanges(sources, m_runLater, "the host runs later");
}

bool RunningSession::leavesChanges(const Places& places)
{
    const bool isLayered = m_preparation.info.tier == Tier::Container;
    Result<LeftChanges> left = findLeft(places);
    if (left) {
        m_left = *std::move(left);
        if (isLayered && !m_left.replaced.empty()) {
            const auto noted = noteReplaced(places.sessionDirectory(m_preparation.info.id), m_left.replaced);
            if (!noted) {
                log(LogLevel::Warning, "session", "note what was replaced: " + toString(noted.error()));
            }
        }
        return isLayered && !m_left.isNothing;
    }
    log(LogLevel::Warning, "session", "count the changes: " + toString(left.error()));
    m_left.text = isLayered                 ? "changes wait in the session's layer"
        : left.error().errnoValue == EACCES ? "not all that changed can be looked into"
                                            : "very much changed";
    return isLayered;
}

/// For the person and the journal: what is where, now that it is over.
void RunningSession::tellOfPlaces()
{
    if (!m_privateWrites) {
        return;
    }
    const auto add = [this](const std::string& label, const std::vector<std::string>& names) {
        if (!names.empty()) {
            m_left.lines.push_back(listLine(label, names));
        }
    };
    add("kept in the private home", m_privateWrites->kept());
    add("gone with the box", m_privateWrites->lost());
    for (const std::string& line : m_left.lines) {
        m_recorder->note(noted(line));
    }
}

std::string RunningSession::summary() const
{
    const SessionInfo& info = m_preparation.info;
    std::string text = "revet " + info.id.text() + ": " + info.endReason + "; " + std::to_string(info.events)
        + (info.events == 1 ? " event" : " events");
    // What met a wall is what people look for, and easily overlook in a long log.
    for (const Verdict verdict : {Verdict::Denied, Verdict::Withheld}) {
        if (const std::uint64_t count = m_journal ? m_journal->eventCount(verdict) : 0; count > 0) {
            text += ", " + std::to_string(count) + ' ' + std::string(toString(verdict));
        }
    }
    if (m_desk && m_desk->missedCount() > 0) {
        text += ", " + std::to_string(m_desk->missedCount()) + " asked in vain ('revet asks --missed')";
    }
    text += ", reached: " + std::string(toString(info.reached));
    if (m_undo) {
        text += m_undo->describeEnd();
    }
    const std::string& id = info.id.text();
    if (!m_left.text.empty()) {
        text += "; " + m_left.text;
    }
    if (info.state == SessionState::Review) {
        text += ": 'revet diff " + id + "'";
    } else if (m_undo && !m_left.isNothing && !m_left.text.empty()) {
        text += ": 'revet diff " + id + "' shows that, 'revet undo " + id + "' takes it back";
    }
    text += "; 'revet log " + info.id.text() + "' shows the events";
    if (!m_preparation.waiting.empty()) {
        text += "; " + m_preparation.waiting;
    }
    return m_warning.empty() ? text : text + "; " + m_warning;
}

} // namespace revet::session
