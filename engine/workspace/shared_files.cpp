// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/shared_files.h"

#include "engine/workspace/attributes.h"
#include "engine/workspace/step.h"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

namespace revet::workspace {

namespace {

using Key = std::pair<std::uint64_t, std::uint64_t>;

Key keyOf(const Entry& entry)
{
    return {entry.device, entry.inode};
}

bool isCopied(std::string_view name)
{
    return name.starts_with("user.") || name == "system.posix_acl_access";
}

bool hasSameTime(const Entry& entry, const Entry& wanted)
{
    return wanted.changed == 0 || wanted.changed == entry.changed;
}

bool hasSameMode(const Entry& entry, const Entry& wanted)
{
    return wanted.type == EntryType::Link || wanted.mode == entry.mode;
}

bool isDifferent(const Entry& entry, const Operation& operation)
{
    return !hasSameMode(entry, operation.wanted) || !hasSameTime(entry, operation.wanted)
        || !operation.attributes.empty();
}

class Splitter
{
public:
    Splitter(int tree, Plan& plan)
        : m_tree(tree)
        , m_plan(plan)
    {
    }
    Result<std::vector<Conflict>> run();

private:
    Result<Entry> objectOf(const Planned& planned) const;
    Result<void> split(const Entry& file, Planned& planned);

    int m_tree;
    Plan& m_plan;
    std::map<std::tuple<Key, mode_t, std::int64_t>, std::string> m_made; ///< a path for each file made anew
    std::vector<Conflict> m_conflicts;
};

/// The file, if any, that gets what is wanted at the path.
Result<Entry> Splitter::objectOf(const Planned& planned) const
{
    const Operation& operation = planned.operation;
    if (isInPlace(planned)) {
        return planned.present;
    }
    if (!operation.from.empty()) {
        return m_plan.at(operation.from).present;
    }
    // A name of what the plan brings follows that.
    return operation.linkTo.empty() || m_plan.contains(operation.linkTo) ? Entry{}
                                                                         : lookAt(m_tree, operation.linkTo);
}

Result<void> Splitter::split(const Entry& file, Planned& planned)
{
    Operation& operation = planned.operation;
    const bool isHere = isInPlace(planned);
    const std::string& path = isHere ? operation.path
        : operation.from.empty()     ? operation.linkTo
                                     : operation.from;
    REVET_ASSIGN_OR_RETURN(Parent place, openParent(m_tree, path));
    planned.isAnew = true;
    operation.from.clear();
    operation.linkTo.clear();
    operation.wanted.mode = newMode(operation);
    operation.wanted.changed = operation.wanted.changed == 0 ? file.changed : operation.wanted.changed;
    if (operation.wanted.type != EntryType::File) {
        return {};
    }
    const auto [made, isFirst]
        = m_made.try_emplace({keyOf(file), operation.wanted.mode, operation.wanted.changed}, operation.path);
    if (!isFirst) {
        operation.linkTo = made->second;
        operation.attributes.clear();
        return {};
    }
    const Result<UniqueFd> opened = openFile(place.directory.get(), place.name);
    if (!opened) {
        m_conflicts.push_back({operation.path, "it has other names, and cannot be read to be copied"});
        return {};
    }
    // Of what lies at the path itself they are copied anyway.
    const std::vector<Attribute> own
        = isHere ? std::vector<Attribute>() : readAttributes(place.directory.get(), place.name, isCopied);
    for (const Attribute& attribute : own) {
        const auto isSame = [&attribute](const auto& change) { return change.first == attribute.name; };
        if (std::ranges::none_of(operation.attributes, isSame)) {
            operation.attributes.emplace_back(attribute.name, attribute.value);
        }
    }
    operation.content = [directory = std::make_shared<UniqueFd>(std::move(place.directory)),
                         name = std::move(place.name)] { return openFile(directory->get(), name); };
    return {};
}

Result<std::vector<Conflict>> Splitter::run()
{
    for (auto& [path, planned] : m_plan) {
        const Operation& operation = planned.operation;
        const EntryType wanted = operation.wanted.type;
        if (planned.isDone || operation.isExact || (wanted != EntryType::File && wanted != EntryType::Link)) {
            continue;
        }
        REVET_ASSIGN_OR_RETURN(const Entry object, objectOf(planned));
        if (object.type == wanted && object.links > 1 && isDifferent(object, operation)) {
            REVET_RETURN_IF_ERROR(split(object, planned));
        }
    }
    // A link is made to what has no other to wait for.
    for (auto& [path, planned] : m_plan) {
        const auto other = m_plan.find(planned.operation.linkTo);
        if (other != m_plan.end() && other->second.isAnew && !other->second.operation.linkTo.empty()) {
            planned.operation.linkTo = other->second.operation.linkTo;
        }
    }
    return std::move(m_conflicts);
}

} // namespace

Result<std::vector<Conflict>> splitShared(int tree, Plan& plan)
{
    return Splitter(tree, plan).run();
}

} // namespace revet::workspace
