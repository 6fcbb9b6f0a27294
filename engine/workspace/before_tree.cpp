// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/before_tree.h"

#include <functional>
#include <utility>

namespace revet::workspace {

namespace {

using Kind = PreImageRecord::Kind;
using Content = PreImageRecord::Content;

std::string joined(const std::string& directory, std::string_view name)
{
    return directory.empty() ? std::string(name) : directory + '/' + std::string(name);
}

/// Calls visit(part) for each component, until it returns false.
template<typename Visit>
void forEachPart(std::string_view path, Visit visit)
{
    while (!path.empty()) {
        const std::size_t slash = path.find('/');
        if (!visit(path.substr(0, slash)) || slash == std::string_view::npos) {
            return;
        }
        path.remove_prefix(slash + 1);
    }
}

} // namespace

/// What is known of one present path. Without a node a path is what it was, relative to its parent.
struct BeforeTree::Node
{
    enum class State : std::uint8_t {
        Inherited, ///< what was there, relative to its parent
        From, ///< what was at `original`
        Alias, ///< a new name of the file that was at `original`
        New, ///< nothing of the tree before
    };
    State state = State::Inherited;
    std::string original;
    std::map<std::string, std::unique_ptr<Node>, std::less<>> children;

    [[nodiscard]] Node& at(std::string_view path)
    {
        Node* node = this;
        forEachPart(path, [&](std::string_view part) {
            auto& child = node->children[std::string(part)];
            if (!child) {
                child = std::make_unique<Node>();
            }
            node = child.get();
            return true;
        });
        return *node;
    }

    /// `aliases`: whether a new name of an old file counts as that file.
    [[nodiscard]] std::optional<std::string> originalOf(std::string_view path, bool aliases) const
    {
        std::optional<std::string> found{std::string()};
        const Node* node = this;
        forEachPart(path, [&](std::string_view part) {
            if (node != nullptr) {
                const auto child = node->children.find(part);
                node = child == node->children.end() ? nullptr : child->second.get();
            }
            if (node == nullptr || node->state == State::Inherited) {
                found = found ? std::optional(joined(*found, part)) : std::nullopt;
            } else if (node->state == State::From || (aliases && node->state == State::Alias)) {
                found = node->original;
            } else {
                found.reset();
            }
            return node != nullptr || found.has_value();
        });
        return found;
    }

    void become(State next, std::string from = {})
    {
        state = next;
        original = std::move(from);
    }

    /// Takes the node out of its place, so that it can be put elsewhere; nothing old stays behind.
    [[nodiscard]] std::unique_ptr<Node> detach(const std::string& path)
    {
        Node& node = at(path);
        if (node.state == State::Inherited) {
            auto from = originalOf(path, false);
            from ? node.become(State::From, std::move(*from)) : node.become(State::New);
        }
        auto taken = std::make_unique<Node>(std::move(node));
        node = Node();
        node.become(State::New);
        return taken;
    }

    void put(const std::string& path, std::unique_ptr<Node> node) { at(path) = std::move(*node); }
};

BeforeTree::BeforeTree(std::span<const PreImageRecord> records)
    : m_root(std::make_unique<Node>())
{
    const auto save = [this](const PreImageRecord& record) {
        const auto original = m_root->originalOf(record.path, true);
        if (!original) {
            return;
        }
        const auto [place, isFirst] = m_saved.try_emplace(*original, record);
        PreImageRecord& first = place->second;
        if (isFirst) {
            first.path = *original;
            first.kind = Kind::Saved;
        } else if (first.content == Content::None) {
            first.content = record.content;
            first.object = record.object;
            first.note = record.note;
        }
    };
    for (const PreImageRecord& record : records) {
        switch (record.kind) {
        case Kind::Saved:
            save(record);
            break;
        case Kind::Removed:
            save(record);
            m_root->at(record.path) = Node();
            m_root->at(record.path).become(Node::State::New);
            break;
        case Kind::Born:
            m_root->at(record.path) = Node();
            m_root->at(record.path).become(Node::State::New);
            break;
        case Kind::Linked: {
            auto of = m_root->originalOf(record.other, true);
            m_root->at(record.path) = Node();
            of ? m_root->at(record.path).become(Node::State::Alias, std::move(*of))
               : m_root->at(record.path).become(Node::State::New);
            break;
        }
        case Kind::Moved:
            save(record);
            m_root->put(record.other, m_root->detach(record.path));
            m_touched.insert(record.other);
            break;
        case Kind::Exchanged: {
            save(record);
            auto one = m_root->detach(record.path);
            m_root->put(record.path, m_root->detach(record.other));
            m_root->put(record.other, std::move(one));
            m_touched.insert(record.other);
            break;
        }
        case Kind::Left:
            m_left[record.path] = record;
            continue;
        case Kind::Root:
        case Kind::Void:
        case Kind::Sealed:
            continue;
        }
        m_touched.insert(record.path);
    }
    for (const auto& [path, record] : m_saved) {
        if (record.entry.links > 1 && record.entry.type != EntryType::Directory) {
            m_shared.try_emplace({record.entry.device, record.entry.inode}, path);
        }
    }
    const std::function<void(const Node&, const std::string&)> collect
        = [&](const Node& node, const std::string& path) {
              if (node.state == Node::State::From) {
                  m_present[node.original] = path;
                  if (node.original != path) {
                      m_moved[path] = node.original;
                  }
              }
              for (const auto& [name, child] : node.children) {
                  collect(*child, joined(path, name));
              }
          };
    collect(*m_root, {});
}

BeforeTree::~BeforeTree() = default;
BeforeTree::BeforeTree(BeforeTree&&) noexcept = default;
BeforeTree& BeforeTree::operator=(BeforeTree&&) noexcept = default;

const PreImageRecord* BeforeTree::savedOf(const Entry& present) const
{
    const auto shared = m_shared.find({present.device, present.inode});
    return shared == m_shared.end() ? nullptr : &m_saved.at(shared->second);
}

std::optional<std::string> BeforeTree::originalOf(const std::string& present) const
{
    return m_root->originalOf(present, false);
}

std::optional<std::string> BeforeTree::presentOf(const std::string& original) const
{
    std::string candidate = original;
    std::size_t end = original.size();
    while (!m_present.empty()) {
        const auto moved = m_present.find(original.substr(0, end));
        if (moved != m_present.end()) {
            const std::string rest = original.substr(end);
            candidate = moved->second.empty() && !rest.empty() ? rest.substr(1) : moved->second + rest;
            break;
        }
        const std::size_t slash = end == 0 ? std::string::npos : original.rfind('/', end - 1);
        if (slash == std::string::npos) {
            break;
        }
        end = slash;
    }
    return originalOf(candidate) == original ? std::optional(candidate) : std::nullopt;
}

} // namespace revet::workspace
