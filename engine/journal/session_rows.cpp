// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/journal/session_rows.h"

#include "engine/journal/rows.h"

#include <charconv>
#include <limits>

namespace revet::journal {

namespace {

class InfoReader
{
public:
    explicit InfoReader(const std::map<std::string, std::string>& info)
        : m_info(&info)
    {
    }
    std::string text(const std::string& name)
    {
        const auto found = m_info->find(name);
        m_valid = m_valid && found != m_info->end();
        return m_valid ? found->second : std::string();
    }
    std::int64_t number(const std::string& name, std::int64_t least, std::int64_t most)
    {
        const std::string value = text(name);
        std::int64_t number = least;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
        if (error != std::errc{} || end != value.data() + value.size() || number < least || number > most) {
            m_valid = false;
            return least;
        }
        return number;
    }
    std::optional<std::int64_t> optionalNumber(const std::string& name, std::int64_t least, std::int64_t most)
    {
        const auto found = m_info->find(name);
        if (found != m_info->end() && found->second.empty()) {
            return std::nullopt;
        }
        return number(name, least, most);
    }
    [[nodiscard]] bool isValid() const { return m_valid; }

private:
    const std::map<std::string, std::string>* m_info;
    bool m_valid = true;
};

std::string micros(WallTime time)
{
    return std::to_string(time.time_since_epoch().count());
}

} // namespace

std::vector<std::pair<std::string_view, std::string>> sessionToInfo(const SessionInfo& session)
{
    return {
        {"id", session.id.text()},
        {"label", session.label},
        {"project", session.project},
        {"tier", std::string(toString(session.tier))},
        {"observe", std::string(toString(session.observe))},
        {"command", packArguments(session.command)},
        {"started", micros(session.started)},
        {"state", std::to_string(static_cast<int>(session.state))},
        {"ended", session.ended ? micros(*session.ended) : std::string()},
        {"status", session.waitStatus ? std::to_string(*session.waitStatus) : std::string()},
        {"reason", session.endReason},
    };
}

Result<SessionInfo> sessionFromInfo(const std::map<std::string, std::string>& info)
{
    constexpr std::int64_t kMostMicros = std::int64_t{1} << 60U;
    InfoReader reader(info);
    SessionInfo session;
    if (const std::string id = reader.text("id"); !id.empty()) {
        REVET_ASSIGN_OR_RETURN(session.id, SessionId::parse(id));
    }
    session.label = reader.text("label");
    session.project = reader.text("project");
    REVET_ASSIGN_OR_RETURN(session.tier, parseTier(reader.text("tier")));
    REVET_ASSIGN_OR_RETURN(session.observe, parseObserveLevel(reader.text("observe")));
    session.command = unpackArguments(reader.text("command"));
    session.started = WallTime(std::chrono::microseconds(reader.number("started", 0, kMostMicros)));
    session.state = static_cast<SessionState>(reader.number("state", 0, kSessionStateCount - 1));
    if (const auto ended = reader.optionalNumber("ended", 0, kMostMicros)) {
        session.ended = WallTime(std::chrono::microseconds(*ended));
    }
    if (const auto status = reader.optionalNumber("status", std::numeric_limits<std::int32_t>::min(),
                                                  std::numeric_limits<std::int32_t>::max())) {
        session.waitStatus = static_cast<std::int32_t>(*status);
    }
    session.endReason = reader.text("reason");
    if (!reader.isValid()) {
        return fail(ErrorCode::Malformed, "read the session's record",
                    "the journal is damaged; revet log --verify names the place");
    }
    return session;
}

} // namespace revet::journal
