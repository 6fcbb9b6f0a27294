// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/domain/ids.h"

#include <filesystem>

namespace revet {

/// Where Revet keeps what, by the XDG base directory rules. None of these is ever visible in a box.
struct Places
{
    std::filesystem::path config; ///< config.toml, projects/, profiles/
    std::filesystem::path data; ///< catalogue.db, sessions/<id>/
    std::filesystem::path runtime; ///< control sockets; exists, ours alone
    std::filesystem::path cache;

    /// From the environment of this process. Makes and checks `runtime`, nothing else. A relative XDG
    /// variable counts as unset, as the specification wants.
    [[nodiscard]] static Result<Places> find();

    [[nodiscard]] std::filesystem::path catalogue() const { return data / "catalogue.db"; }
    [[nodiscard]] std::filesystem::path sessionDirectory(const SessionId& id) const
    {
        return data / "sessions" / id.text();
    }
    [[nodiscard]] std::filesystem::path journal(const SessionId& id) const
    {
        return sessionDirectory(id) / "journal.db";
    }
    /// Holds the path of the passing file that the session is putting in place in its project, if any.
    [[nodiscard]] std::filesystem::path passingRecord(const SessionId& id) const
    {
        return sessionDirectory(id) / "passing";
    }
    [[nodiscard]] std::filesystem::path controlSocket(const SessionId& id) const
    {
        return runtime / (id.text() + ".sock");
    }
};

/// Makes a directory and its missing parents with mode 0700. Refused when what is there is no directory, is
/// not ours, or lets others in.
[[nodiscard]] Result<void> makePrivateDirectory(const std::filesystem::path& directory);

} // namespace revet
