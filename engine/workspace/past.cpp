// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/past.h"

namespace revet::workspace {

namespace {

/// Slots whose object went on to another path.
std::map<std::uint32_t, std::string> movedSlots(const Record& record)
{
    std::map<std::uint32_t, std::string> taken;
    std::map<std::uint32_t, std::string> moved;
    for (const Step& step : record.steps) {
        if (step.kind == Step::Kind::TakeOut) {
            taken[step.slot] = step.path;
        } else if ((step.kind == Step::Kind::PutIn || step.kind == Step::Kind::Swap)
                   && taken.contains(step.slot)) {
            moved[step.slot] = step.path;
        }
    }
    return moved;
}

} // namespace

Pasts pastsOf(const Record& record)
{
    const std::map<std::uint32_t, std::string> moved = movedSlots(record);
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> origins;
    Pasts pasts;
    for (const Step& step : record.steps) {
        if (step.kind == Step::Kind::Fetch || step.kind == Step::Kind::TakeLock
            || step.kind == Step::Kind::Release) {
            continue;
        }
        const auto [found, isFirst] = pasts.try_emplace(step.path);
        Past& past = found->second;
        if (isFirst) {
            past.before = step.before;
            past.after = step.after;
            past.way = step.before.exists() ? Past::Way::InPlace : Past::Way::New;
            past.isTimeOnly = past.isAside = true;
        }
        const bool isTouch = step.kind == Step::Kind::Touch;
        past.isAside = past.isAside && isTouch;
        past.isTimeOnly = past.isTimeOnly
            && (isTouch
                || (step.kind == Step::Kind::SetAttributes && step.attributes.empty()
                    && step.before.type == EntryType::Directory && step.mode == step.before.mode));
        past.isWholeTree = past.isWholeTree || step.isWholeTree;
        if (step.kind == Step::Kind::TakeOut || step.kind == Step::Kind::Swap) {
            const auto to = moved.find(step.slot);
            const bool isElsewhere = step.kind == Step::Kind::TakeOut && to != moved.end();
            past.way = isElsewhere ? Past::Way::Moved : Past::Way::Kept;
            past.place = isElsewhere ? to->second : record.name + "/objects/" + slotName(step.slot);
        }
        // What came here from elsewhere takes its attributes back there; what was made here had none before.
        if (step.kind == Step::Kind::TakeOut) {
            origins[{step.before.device, step.before.inode}] = step.path;
        }
        const auto origin = origins.find({step.object.device, step.object.inode});
        Past& owner = origin == origins.end() ? past : pasts[origin->second];
        for (const AttributeChange& attribute : step.attributes) {
            if (isSameObject(step.object, owner.before)) {
                owner.attributes.emplace_back(attribute.name, attribute.before);
            }
        }
    }
    return pasts;
}

} // namespace revet::workspace
