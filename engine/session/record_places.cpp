// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/record_places.h"

#include "engine/domain/store_name.h"
#include "engine/session/text_file.h"
#include "engine/workspace/pre_image_place.h"
#include "engine/workspace/pre_image_record.h"

namespace revet::session {

namespace {

namespace fs = std::filesystem;
using workspace::ObjectPlace;

constexpr const char* kPlace = "place"; ///< beside the records: a letter for the kind, then the directory
constexpr std::string_view kLetters = "hbp"; ///< in the order of ObjectPlace::Kind

fs::path recordsOf(const Places& places, const SessionId& id, std::size_t root)
{
    return places.sessionDirectory(id) / (root == 0 ? "records" : "records-" + std::to_string(root));
}

Result<ObjectPlace> readPlace(const fs::path& records)
{
    REVET_ASSIGN_OR_RETURN(const std::string text, readText(records / kPlace));
    const std::size_t kind = text.empty() ? std::string_view::npos : kLetters.find(text.front());
    if (kind == std::string_view::npos) {
        return fail(ErrorCode::Malformed, "read " + (records / kPlace).string());
    }
    return ObjectPlace{static_cast<ObjectPlace::Kind>(kind), text.substr(1), {}};
}

/// Where the objects lie; decided once.
Result<ObjectPlace> placeOf(const fs::path& records, const std::string& name, const std::string& tree)
{
    std::error_code error;
    if (fs::exists(records / kPlace, error)) {
        return readPlace(records);
    }
    ObjectPlace place;
    if (!workspace::areOnOneMount(tree, records)) {
        const auto top = workspace::makeStoreAtTop(tree);
        place.kind = top ? ObjectPlace::Kind::Beside : ObjectPlace::Kind::Passing;
        place.directory = (top ? *top : fs::path(tree) / ownStoreName()) / name;
    }
    const std::string text = kLetters.at(static_cast<std::size_t>(place.kind)) + place.directory.string();
    REVET_RETURN_IF_ERROR(replaceFile(records / kPlace, text));
    return place;
}

} // namespace

Result<workspace::RecordStore> openRootRecords(const Places& places, const SessionId& id, std::size_t root,
                                               const std::string& path)
{
    const fs::path records = recordsOf(places, id, root);
    REVET_RETURN_IF_ERROR(makePrivateDirectory(records));
    REVET_ASSIGN_OR_RETURN(ObjectPlace place,
                           placeOf(records, id.text() + '-' + records.filename().string(), path));
    const auto preImages
        = workspace::readObjectsPlace(workspace::preImagesDirectory(places.sessionDirectory(id), root));
    place.preImages = preImages.value_or(fs::path());
    return workspace::RecordStore::open(records, std::move(place));
}

fs::path discardsOf(const Places& places, const SessionId& id)
{
    return places.sessionDirectory(id) / "discarded";
}

Result<workspace::RecordStore> openDiscardRecords(const Places& places, const SessionId& id)
{
    return workspace::RecordStore::open(discardsOf(places, id));
}

std::vector<fs::path> recordDirectories(const Places& places, const SessionId& id)
{
    std::vector<fs::path> directories;
    std::error_code error;
    for (std::size_t root = 0; fs::is_directory(recordsOf(places, id, root), error); ++root) {
        directories.push_back(recordsOf(places, id, root));
    }
    return directories;
}

std::vector<fs::path> recordsElsewhere(const Places& places, const SessionId& id)
{
    std::vector<fs::path> elsewhere;
    std::error_code error;
    for (const fs::path& records : recordDirectories(places, id)) {
        const auto place = readPlace(records);
        if (place && place->kind != ObjectPlace::Kind::Here && fs::exists(place->directory, error)) {
            elsewhere.push_back(place->directory);
        }
    }
    return elsewhere;
}

} // namespace revet::session
