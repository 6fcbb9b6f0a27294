// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/clock.h"
#include "engine/domain/ids.h"
#include "engine/session/project_contents.h"
#include "engine/supervisor/hard_links.h"
#include "engine/supervisor/pre_image_sink.h"
#include "engine/workspace/brake.h"
#include "engine/workspace/pre_image_store.h"

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace revet::session {

/// Makes a direct session undoable: a store of pre-images for each of its roots, and the brake. What cannot
/// be kept for want of space is not done. Used by one thread at a time.
class UndoKeeper final : public supervisor::PreImageSink
{
public:
    struct Setup
    {
        SessionId session;
        std::filesystem::path directory; ///< of the session
        std::vector<std::string> roots; ///< the project first
        policy::BuildOutputTable buildOutput;
        workspace::PreImageLimits limits;
        workspace::Brake::Limits brake;
        std::function<bool()> isReleased = {}; ///< the person lets bursts go; none: they never do
    };
    [[nodiscard]] static Result<std::unique_ptr<UndoKeeper>> create(const Setup& setup, const Clock& clock);

    ~UndoKeeper() override;
    UndoKeeper(const UndoKeeper&) = delete;
    UndoKeeper& operator=(const UndoKeeper&) = delete;
    UndoKeeper(UndoKeeper&&) = delete;
    UndoKeeper& operator=(UndoKeeper&&) = delete;

    [[nodiscard]] supervisor::Judgement creating(const supervisor::Place& place) override;
    void created(const supervisor::Place& place) override;
    [[nodiscard]] supervisor::Judgement linking(const supervisor::Place& place,
                                                const supervisor::Found& source) override;
    void linked(const supervisor::Place& place) override;
    [[nodiscard]] supervisor::Precaution writing(const supervisor::Root& root, const std::string& path,
                                                 const struct stat& status) override;
    [[nodiscard]] supervisor::Judgement changing(const supervisor::Root& root, const std::string& path,
                                                 const struct stat& status) override;
    [[nodiscard]] supervisor::Precaution removing(int tid, const supervisor::Place& place,
                                                  const struct stat& status) override;
    [[nodiscard]] supervisor::Precaution replacing(const supervisor::Place& place,
                                                   const struct stat& status) override;
    [[nodiscard]] supervisor::Precaution renaming(const supervisor::Place& from, const struct stat& status,
                                                  const supervisor::Place& to,
                                                  const struct stat* replaced) override;
    [[nodiscard]] supervisor::Precaution exchanging(const supervisor::Place& one, const struct stat& status,
                                                    const supervisor::Place& other,
                                                    const struct stat& otherStatus) override;
    void denied() override { m_brake.refuse(); }
    void failed() override;
    [[nodiscard]] std::string keptFrom(const struct stat& status) const override;

    /// Nothing of the box is left: notes what it leaves.
    void seal();
    /// After seal(); waits for the disk, as nobody needs to do who only waits for the command.
    void sync();
    /// For the line before the start: what is not covered.
    [[nodiscard]] std::string describeCover() const;
    /// For the line at the end; empty where there is nothing to say.
    [[nodiscard]] std::string describeEnd() const;

private:
    struct Part; ///< one root
    struct HostSpot; ///< a place on the host's own mount
    struct Directory
    {
        supervisor::InodeKey key{};
        UniqueFd fd;
    };

    UndoKeeper(const Setup& setup, const Clock& clock);
    /// Also notes it as the last one.
    [[nodiscard]] Result<Part*> partOf(const supervisor::Root& root);
    [[nodiscard]] Result<HostSpot> spotOf(const supervisor::Place& place);
    [[nodiscard]] Result<HostSpot> spotOf(const supervisor::Root& root, const std::string& path);
    /// The directory of that canonical path and identity, reached without the keeper's mounts.
    [[nodiscard]] Result<int> hostDirectory(const supervisor::Root& root, std::string_view path,
                                            const supervisor::InodeKey* expected);
    [[nodiscard]] supervisor::Judgement brake(int tid, const HostSpot& spot, const struct stat& status);
    [[nodiscard]] supervisor::Precaution precaution(Result<workspace::Kept> kept);
    /// It has been made, and that noted or not.
    void made(const Result<HostSpot>& spot, const Result<void>& noted);

    SessionId m_session;
    const Clock& m_clock;
    std::vector<std::unique_ptr<Part>> m_parts;
    Part* m_last = nullptr; ///< of the last act
    ProjectContents m_contents;
    workspace::Brake m_brake;
    std::function<bool()> m_isReleased;
    workspace::PreImageLimits m_limits;
    std::string m_braked; ///< why, the last time
    std::uint64_t m_uncovered = 0;
    /// Directories opened last: removing a tree asks for each many times.
    std::array<Directory, 16> m_directories;
    std::size_t m_nextDirectory = 0;
};

} // namespace revet::session
