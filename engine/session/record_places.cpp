// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/record_places.h"

#include "engine/workspace/pre_image_place.h"

#include <fcntl.h>
#include <unistd.h>

namespace revet::session {

namespace {

namespace fs = std::filesystem;

/// In the project itself: the last resort.
Result<fs::path> placeInside(const fs::path& project, const std::string& name)
{
    const fs::path directory = project / ".revet-undo";
    REVET_RETURN_IF_ERROR(makePrivateDirectory(directory));
    const UniqueFd ignore(::open((directory / ".gitignore").c_str(),
                                 O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!ignore || ::write(ignore.get(), "*\n", 2) != 2) {
        return failErrno("write " + directory.string());
    }
    return directory / name;
}

} // namespace

Result<workspace::RecordStore> openRootRecords(const Places& places, const SessionId& id, std::size_t root,
                                               const std::string& path)
{
    const std::string name = root == 0 ? "records" : "records-" + std::to_string(root);
    const fs::path own = places.sessionDirectory(id) / name;
    REVET_RETURN_IF_ERROR(makePrivateDirectory(own));
    REVET_ASSIGN_OR_RETURN(const workspace::PreImagePlace place,
                           workspace::choosePreImagePlace(path, own, id.text() + '-' + name));
    fs::path chosen = place.objects;
    if (!place.canTake) {
        REVET_ASSIGN_OR_RETURN(chosen, placeInside(path, id.text() + '-' + name));
    }
    if (chosen.parent_path() != own) {
        // For who removes the session.
        const UniqueFd note(
            ::open((own / "place").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
        const std::string& text = chosen.native();
        if (!note || ::write(note.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
            return failErrno("note where records are");
        }
    }
    return workspace::RecordStore::open(chosen);
}

Result<workspace::RecordStore> openDiscardRecords(const Places& places, const SessionId& id)
{
    return workspace::RecordStore::open(places.sessionDirectory(id) / "discarded");
}

} // namespace revet::session
