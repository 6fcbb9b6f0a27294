// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/doctor_probes.h"

#include "engine/journal/journal_reader.h"
#include "engine/journal/verify.h"
#include "engine/session/doctor_canaries.h"
#include "engine/session/doctor_front_end.h"
#include "engine/session/doctor_world.h"
#include "engine/session/preparation.h"
#include "engine/tiers/system_view.h"

#include <array>
#include <iterator>
#include <sstream>

namespace revet::session {

namespace {

using Status = DoctorCheck::Status;

constexpr const char* kProbeInBox = "/revet-probe";
constexpr std::chrono::seconds kPatience{120};
constexpr const char* kReport = "this wall does not hold here; do not use the tier, and report it";

DoctorCheck unavailable(std::string name, std::string detail, std::string remedy = {})
{
    return {std::move(name), Status::Unavailable, std::move(detail), std::move(remedy)};
}

void append(std::vector<DoctorCheck>& all, std::vector<DoctorCheck> some)
{
    all.insert(all.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
}

ipc::RunRequest makeRequest(Tier tier, const DoctorWorld& world, const DoctorCanaries& canaries)
{
    ipc::RunRequest request;
    request.command = {kProbeInBox, "walls", tier == Tier::Container ? "layered=1" : "layered=0"};
    const std::vector<std::string>& facts = canaries.facts();
    request.command.insert(request.command.end(), facts.begin(), facts.end());
    request.environment = ownEnvironment();
    request.currentDirectory = world.project();
    request.project = world.project();
    request.tier = tier;
    request.terminal.stdinIsTerminal = true; // a terminal for TIOCSTI to be tried on
    return request;
}

Result<Preparation> prepareProbes(const ipc::RunRequest& request, const DoctorWorld& world, ShippedData& data,
                                  const Installation& installation)
{
    REVET_ASSIGN_OR_RETURN(const auto account, findAccount(request.environment));
    REVET_ASSIGN_OR_RETURN(
        const auto project,
        findProject(request.project, request.currentDirectory, account.home, world.places()));
    Surroundings surroundings{world.places(), account, describeSession(request, project, *request.tier), "1"};
    surroundings.session.id = SessionId::generate();
    REVET_ASSIGN_OR_RETURN(auto preparation, prepare(request, project, surroundings, data));
    preparation.spec.visible.push_back({installation.libexec / "revet-probe", kProbeInBox});
    return preparation;
}

/// Whether the journal tells what the probes did.
DoctorCheck checkRecord(const std::filesystem::path& journal, Tier tier, const DoctorWorld& world)
{
    const std::string name = "journal: deeds are recorded";
    auto reader = journal::JournalReader::open(journal);
    if (!reader) {
        return unavailable(name, toString(reader.error()));
    }
    const std::string hook = world.project() / ".git/hooks/pre-commit";
    const Verdict planted = tier == Tier::Container ? Verdict::Contained : Verdict::Denied;
    const std::array<std::pair<std::string, Verdict>, 2> wanted{
        {{(world.root() / "canary").string(), Verdict::Withheld}, {hook, planted}}};
    for (const auto& [target, verdict] : wanted) {
        journal::EventFilter filter;
        filter.path = target;
        filter.verdicts = {verdict};
        const auto events = reader->eventsAfter(EventSeq(), 1, filter);
        if (!events || events->empty()) {
            return unavailable(name,
                               "no event says that " + target + " was " + std::string(toString(verdict)));
        }
    }
    return {name, Status::Ok, "a withheld read and a planted hook are in it", {}};
}

std::vector<DoctorCheck> checkJournal(const std::filesystem::path& journal, Tier tier,
                                      const DoctorWorld& world)
{
    const std::string name = "journal: intact";
    const auto verified = journal::verify(journal);
    std::vector<DoctorCheck> checks;
    if (!verified) {
        checks.push_back(unavailable(name, toString(verified.error())));
    } else if (!verified->isIntact || !verified->isSealed) {
        checks.push_back(unavailable(name, verified->isIntact ? "it was not closed" : verified->problem));
    } else {
        checks.push_back(
            {name, Status::Ok, std::to_string(verified->events) + " events, hash chain verified", {}});
    }
    checks.push_back(checkRecord(journal, tier, world));
    return checks;
}

} // namespace

std::vector<DoctorCheck> parseProbeOutput(const std::string& output)
{
    std::vector<DoctorCheck> checks;
    std::istringstream lines(output);
    std::string completed;
    for (std::string line; std::getline(lines, line);) {
        const std::size_t first = line.find('\t');
        const std::size_t second = first == std::string::npos ? first : line.find('\t', first + 1);
        if (second == std::string::npos) {
            checks.push_back(unavailable("probe program", "it printed nonsense", kReport));
            continue;
        }
        const std::string name = line.substr(0, first);
        const std::string word = line.substr(first + 1, second - first - 1);
        const std::string detail = line.substr(second + 1);
        if (name == "complete") {
            completed = detail;
        } else if (word == "ok") {
            checks.push_back({name, Status::Ok, detail, {}});
        } else if (word == "skip") {
            checks.push_back({name, Status::Limited, "not tried: " + detail, {}});
        } else {
            checks.push_back(unavailable(name, detail, kReport));
        }
    }
    if (completed != std::to_string(checks.size())) {
        checks.push_back(unavailable("probe program", "it did not come to its end", kReport));
    }
    return checks;
}

Result<std::vector<DoctorCheck>> runTierProbes(Tier tier, const Places& places,
                                               const Installation& installation,
                                               const RunningSession::PlanEdit& edit)
{
    REVET_ASSIGN_OR_RETURN(auto world, DoctorWorld::create(places.cache));
    REVET_ASSIGN_OR_RETURN(
        const auto canaries,
        DoctorCanaries::create(world.root(), world.project(), installation.libexec / "revet-probe"));
    ShippedData data(installation, world.places());
    const ipc::RunRequest request = makeRequest(tier, world, canaries);
    REVET_ASSIGN_OR_RETURN(auto preparation, prepareProbes(request, world, data, installation));
    const std::filesystem::path journal = world.places().journal(preparation.info.id);
    const std::string layer = preparation.spec.layer;

    REVET_ASSIGN_OR_RETURN(auto ends, ipc::Channel::createPair());
    std::vector<DoctorCheck> checks;
    REVET_ASSIGN_OR_RETURN(auto box, Box::start((installation.libexec / "revet-launch").string()));
    REVET_RETURN_IF_ERROR(box.begin(tiers::systemView()));
    DoctorFrontEnd frontEnd(std::move(ends.second), kPatience);
    {
        RunningSession session(std::move(box), std::move(preparation), request,
                               FrontEnd(std::move(ends.first)));
        session.setPlanEdit(edit);
        const auto end = session.run(data, world.places());
        session.finish(end ? *end
                           : SessionEnd{"it could not be started", std::nullopt,
                                        ipc::Failed{ipc::kRevetFailed, toString(end.error())}},
                       world.places());
    }
    const DoctorFrontEnd::Seen seen = frontEnd.finish();
    if (!seen.failure.empty()) {
        checks.push_back(unavailable("a box starts", seen.failure));
        return checks;
    }
    checks.push_back({"a box starts", Status::Ok, "by the same code as 'revet run'", {}});
    append(checks, parseProbeOutput(seen.output));
    append(checks, canaries.hostChecks());
    append(checks, world.hostChecks(tier, layer));
    append(checks, checkJournal(journal, tier, world));
    return checks;
}

} // namespace revet::session
