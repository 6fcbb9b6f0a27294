// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/settings_merge.h"

#include "engine/policy/settings_fields.h"

#include <algorithm>

namespace revet::policy {

namespace {

template<typename T>
void takeLast(std::optional<Sourced<T>>* to, const std::optional<T>& value, const std::string& source)
{
    if (value) {
        *to = Sourced<T>{*value, source};
    }
}

template<typename T>
std::optional<T> valueOf(const std::optional<Sourced<T>>& sourced)
{
    return sourced ? std::optional<T>(sourced->value) : std::nullopt;
}

std::vector<std::string> valuesOf(const SourcedTexts& sourced)
{
    std::vector<std::string> values;
    for (const auto& item : sourced) {
        values.push_back(item.value);
    }
    return values;
}

/// "NAME" and "NAME=value" speak of the same variable.
void takeVariables(SourcedTexts* to, const std::vector<std::string>& variables, const std::string& source)
{
    const auto nameOf = [](std::string_view text) { return text.substr(0, text.find('=')); };
    for (const std::string& variable : variables) {
        std::erase_if(*to, [&](const auto& item) { return nameOf(item.value) == nameOf(variable); });
        to->push_back({variable, source});
    }
}

/// Whether the second tier's wall holds everything that the first one's does, and more. Remote is never
/// narrower: it carries the project elsewhere.
bool isNarrower(Tier inForce, Tier wanted)
{
    switch (wanted) {
    case Tier::Host:
    case Tier::Remote:
        return false;
    case Tier::Sandbox:
        return inForce == Tier::Host;
    case Tier::Container:
        return inForce == Tier::Host || inForce == Tier::Sandbox;
    case Tier::Vm:
    case Tier::Airgap:
        return inForce == Tier::Host || inForce == Tier::Sandbox || inForce == Tier::Container;
    }
    return false;
}

bool isStricter(const OnAsk& inForce, const OnAsk& wanted)
{
    if (wanted.kind == OnAsk::Kind::Wait || inForce.kind == OnAsk::Kind::Deny) {
        return false;
    }
    // Waiting has a deadline of its own, ten minutes unless the user says otherwise.
    return wanted.kind == OnAsk::Kind::Deny
        || (inForce.kind == OnAsk::Kind::Deadline ? wanted.deadline < inForce.deadline
                                                  : wanted.deadline < std::chrono::minutes(10));
}

template<typename T>
std::optional<T> takeIf(const std::optional<T>& wanted, bool isTighter)
{
    return wanted && isTighter ? wanted : std::nullopt;
}

template<typename T>
std::optional<T> takeSmaller(const std::optional<T>& inForce, const std::optional<T>& wanted)
{
    return takeIf(wanted, !inForce || (wanted && *wanted < *inForce));
}

} // namespace

Settings EffectiveSettings::settings() const
{
    Settings plain;
    plain.tier = valueOf(tier);
    plain.profiles = valuesOf(profiles);
    plain.unhide = valuesOf(unhide);
    plain.bindRo = valuesOf(bindRo);
    plain.bindRw = valuesOf(bindRw);
    plain.allowHosts = valuesOf(allowHosts);
    plain.denyHosts = valuesOf(denyHosts);
    plain.env = valuesOf(env);
    plain.limits = {valueOf(memoryBytes), valueOf(processes), valueOf(diskBytes), valueOf(time)};
    plain.undo = {valueOf(undoBudget), valueOf(undoLargest), valueOf(brake)};
    plain.observe = valueOf(observe);
    plain.onAsk = valueOf(onAsk);
    return plain;
}

EffectiveSettings mergeSettings(const std::vector<std::pair<std::string, Settings>>& layers)
{
    EffectiveSettings merged;
    for (const auto& [name, settings] : layers) {
        takeLast(&merged.tier, settings.tier, name);
        addMissing(&merged.profiles, settings.profiles, name);
        addMissing(&merged.unhide, settings.unhide, name);
        addMissing(&merged.bindRo, settings.bindRo, name);
        addMissing(&merged.bindRw, settings.bindRw, name);
        addMissing(&merged.allowHosts, settings.allowHosts, name);
        addMissing(&merged.denyHosts, settings.denyHosts, name);
        takeVariables(&merged.env, settings.env, name);
        takeLast(&merged.memoryBytes, settings.limits.memoryBytes, name);
        takeLast(&merged.processes, settings.limits.processes, name);
        takeLast(&merged.diskBytes, settings.limits.diskBytes, name);
        takeLast(&merged.time, settings.limits.time, name);
        takeLast(&merged.undoBudget, settings.undo.budgetBytes, name);
        takeLast(&merged.undoLargest, settings.undo.largestBytes, name);
        takeLast(&merged.brake, settings.undo.brake, name);
        takeLast(&merged.observe, settings.observe, name);
        takeLast(&merged.onAsk, settings.onAsk, name);
    }
    return merged;
}

Tightening tightenedBy(const Settings& inForce, const Settings& repository)
{
    Tightening result;
    Settings& taken = result.taken;
    taken.tier
        = takeIf(repository.tier,
                 repository.tier && isNarrower(inForce.tier.value_or(Tier::Sandbox), *repository.tier));
    // Lower is more: Full is the first of the levels, and what is not set is recorded in full.
    taken.observe = takeIf(repository.observe,
                           repository.observe && inForce.observe && *repository.observe < *inForce.observe);
    taken.onAsk = takeIf(repository.onAsk,
                         repository.onAsk && isStricter(inForce.onAsk.value_or(OnAsk{}), *repository.onAsk));
    taken.limits.memoryBytes = takeSmaller(inForce.limits.memoryBytes, repository.limits.memoryBytes);
    taken.limits.processes = takeSmaller(inForce.limits.processes, repository.limits.processes);
    taken.limits.diskBytes = takeSmaller(inForce.limits.diskBytes, repository.limits.diskBytes);
    taken.limits.time = takeSmaller(inForce.limits.time, repository.limits.time);

    // Without a brake of the user's own it is 200; what undo may keep is the user's disk to give.
    const std::uint64_t brake = inForce.undo.brake.value_or(kDefaultBrake);
    taken.undo.brake
        = takeIf(repository.undo.brake,
                 repository.undo.brake.value_or(0) != 0 && (brake == 0 || *repository.undo.brake < brake));

    // What merely repeats what is in force is neither taken nor worth a word.
    for (const SingleField& field : kSingleFields) {
        const std::string wanted = field.get(repository);
        if (!wanted.empty() && field.get(taken).empty() && wanted != field.get(inForce)) {
            result.ignored.push_back(std::string(field.key) + " = " + wanted);
        }
    }
    taken.denyHosts = repository.denyHosts;
    // Every other list widens the box: toolchains, files, hosts, variables.
    for (const ListField& field : kListFields) {
        if (field.values == &Settings::denyHosts) {
            continue;
        }
        const std::vector<std::string>& known = inForce.*field.values;
        for (const std::string& wanted : repository.*field.values) {
            if (std::find(known.begin(), known.end(), wanted) == known.end()) {
                result.ignored.push_back(std::string(field.key) + " = " + wanted);
            }
        }
    }
    return result;
}

} // namespace revet::policy
