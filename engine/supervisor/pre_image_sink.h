// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/supervisor/git_guard.h"
#include "engine/supervisor/place.h"

#include <string>

#include <sys/stat.h>

namespace revet::supervisor {

/// What has been done about an act before it is done.
struct Precaution
{
    Judgement refusal; ///< it must not happen
    bool isDone = false; ///< it has been performed already
    int failure = 0; ///< errno with which the kernel refused it
    std::string note; ///< for the act's row: what of it cannot be undone
};

/// Keeps what an act on a brokered root is about to destroy, so that it can be undone. Called by the brokers,
/// which take turns, just before the act except where it says so; what is at a place is as `status` says.
class PreImageSink
{
public:
    PreImageSink() = default;
    PreImageSink(const PreImageSink&) = delete;
    PreImageSink& operator=(const PreImageSink&) = delete;
    PreImageSink(PreImageSink&&) = delete;
    PreImageSink& operator=(PreImageSink&&) = delete;
    virtual ~PreImageSink() = default;

    /// An entry is about to be made; created() follows if it was, else failed().
    [[nodiscard]] virtual Judgement creating(const Place& place) = 0;
    virtual void created(const Place& place) = 0;
    /// A further name of `source` is about to be made; linked() follows if it was, else failed().
    [[nodiscard]] virtual Judgement linking(const Place& place, const Found& source) = 0;
    virtual void linked(const Place& place) = 0;
    /// The content of a file that has a name is about to be writable.
    [[nodiscard]] virtual Precaution writing(const Root& root, const std::string& path,
                                             const struct stat& status)
        = 0;
    /// Mode, owner, times or attributes; of a directory too.
    [[nodiscard]] virtual Judgement changing(const Root& root, const std::string& path,
                                             const struct stat& status)
        = 0;
    /// An entry, a directory or another, is about to be removed. May do it itself unless it is a directory.
    [[nodiscard]] virtual Precaution removing(int tid, const Place& place, const struct stat& status) = 0;
    /// A fresh file is about to be put in the place of this one; created() follows.
    [[nodiscard]] virtual Precaution replacing(const Place& place, const struct stat& status) = 0;
    /// `replaced`: what is at `to`, if anything.
    [[nodiscard]] virtual Precaution renaming(const Place& from, const struct stat& status, const Place& to,
                                              const struct stat* replaced)
        = 0;
    [[nodiscard]] virtual Precaution exchanging(const Place& one, const struct stat& status,
                                                const Place& other, const struct stat& otherStatus)
        = 0;
    /// The removal that the last call refused is not going to be.
    virtual void denied() = 0;
    /// The act that the last call was about failed.
    virtual void failed() = 0;
    /// The path that a file had when it was removed, which is kept itself; empty where that is not known.
    [[nodiscard]] virtual std::string keptFrom(const struct stat& status) const = 0;
};

/// Keeps nothing: for boxes whose changes go to a layer.
class NoPreImages final : public PreImageSink
{
public:
    [[nodiscard]] Judgement creating(const Place& /*place*/) override { return {}; }
    void created(const Place& /*place*/) override { }
    [[nodiscard]] Judgement linking(const Place& /*place*/, const Found& /*source*/) override { return {}; }
    void linked(const Place& /*place*/) override { }
    [[nodiscard]] Precaution writing(const Root& /*root*/, const std::string& /*path*/,
                                     const struct stat& /*status*/) override
    {
        return {};
    }
    [[nodiscard]] Judgement changing(const Root& /*root*/, const std::string& /*path*/,
                                     const struct stat& /*status*/) override
    {
        return {};
    }
    [[nodiscard]] Precaution removing(int /*tid*/, const Place& /*place*/,
                                      const struct stat& /*status*/) override
    {
        return {};
    }
    [[nodiscard]] Precaution replacing(const Place& /*place*/, const struct stat& /*status*/) override
    {
        return {};
    }
    [[nodiscard]] Precaution renaming(const Place& /*from*/, const struct stat& /*status*/,
                                      const Place& /*to*/, const struct stat* /*replaced*/) override
    {
        return {};
    }
    [[nodiscard]] Precaution exchanging(const Place& /*one*/, const struct stat& /*status*/,
                                        const Place& /*other*/, const struct stat& /*otherStatus*/) override
    {
        return {};
    }
    [[nodiscard]] std::string keptFrom(const struct stat& /*status*/) const override { return {}; }
    void denied() override { }
    void failed() override { }
};

} // namespace revet::supervisor
