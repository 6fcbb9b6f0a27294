// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/local_internet.h"
#include "tests/integration/world.h"
#include "tests/support/kernel_gate.h"

#include <QTest>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

using namespace revet::test;

namespace {

struct Client
{
    /// A line of sh that brings something from $HOST in an empty directory; what it needs is in $FILES.
    std::string script;
    std::string port;
    std::vector<std::string> programs;
    std::vector<std::string> services = {}; ///< of services.py
    std::string scope = "once"; ///< of the yes that it gets; longer where it connects again and again
    std::string preparation = {};
};

/// What packaging/setup does not install: too large for what it adds.
const std::vector<std::string> kOptional{"javac", "java"};

const std::map<std::string, Client> kClients{
    {"curl", {"curl -sS http://$HOST/hello", "80", {"curl"}}},
    {"curl, TLS", {"curl -sS --cacert $FILES/ca.crt https://$HOST/hello", "443", {"curl"}}},
    {"wget", {"wget -nv -O- --ca-certificate=$FILES/ca.crt https://$HOST/hello", "443", {"wget"}}},
    {"git, TLS",
     {"export GIT_SSL_CAINFO=$FILES/ca.crt; sh $FILES/clone.sh https://$HOST/git/far.git",
      "443",
      {"git"},
      {"git"},
      "session"}},
    {"git, ssh",
     {"export GIT_SSH_COMMAND=\"ssh -F none -i $FILES/door -o UserKnownHostsFile=$FILES/known_hosts\"; "
      "sh $FILES/clone.sh ssh://$HOST$FAR/far.git",
      "22",
      {"git", "ssh", "sshd"},
      {"ssh"},
      "session"}},
    {"npm",
     {"npm install --registry=http://$HOST/npm/ --fetch-retry-mintimeout=10 --cache=cache --no-fund "
      "--no-update-notifier "
      "toy "
      ">&2 && node -p 'require(\"toy\")'",
      "80",
      {"npm", "node"},
      {"npm"}}},
    {"pip",
     {"PYTHONPATH=$(echo /usr/share/python-wheels/pip-*.whl) /usr/bin/python3 -m pip install -q --target=. "
      "--disable-pip-version-check --retries=1 --index-url=http://$HOST/simple --trusted-host=$HOST toy "
      "&& /usr/bin/python3 -c 'import toy; print(toy.kind)'",
      "80",
      {"python3"},
      {"pip"}}},
    {"requests",
     {"/usr/bin/python3 -c 'import requests, sys; print(requests.get(sys.argv[1], verify=sys.argv[2]).text)' "
      "https://$HOST/hello $FILES/ca.crt",
      "443",
      {"python3", "../lib/python3/dist-packages/requests"}}},
    {"asyncio", {"/usr/bin/python3 $FILES/streams.py $HOST", "80", {"python3"}}},
    {"epoll before connect", {"/usr/bin/python3 $FILES/epoll_first.py $HOST", "80", {"python3"}}},
    {"node", {"node $FILES/fetch.js http://$HOST/hello", "80", {"node"}}},
    {"Go",
     {"GODEBUG=netdns=go hey -n 4 -c 4 http://$HOST/hello >said; grep -o '[[]200].*' said || ! cat said >&2",
      "80",
      {"hey"}}},
    {"Rust",
     {"sq keyserver -p insecure -s hkp://$HOST:80 get -o cert $(cat $FILES/fingerprint) && head -2 cert",
      "80",
      {"sq"},
      {"sq"}}},
    {"java",
     {"java -cp $FILES Fetch http://$HOST/hello", "80", {"java", "javac"}, {}, "once", "javac Fetch.java"}},
    {"psql",
     {"psql \"host=$HOST user=tester dbname=postgres sslmode=verify-full sslrootcert=$FILES/ca.crt\" "
      "-Atc 'select 6 * 7, ssl from pg_stat_ssl where pid = pg_backend_pid()'",
      "5432",
      {"psql"},
      {"psql"}}},
};

/// A line each: how the client ends, whether it says that it was refused, and what it brought.
constexpr const char* kScript = R"(
export FILES=$PWD FAR=$1; to=far.test:$2; scope=$3
client='cd $(mktemp -d $FILES/XXXXXX); '$4
box() { start --env FILES --env FAR --env HOST=far.test "$@" -- sh -c "$client"; }
tell() {
    wait $box; status=$?
    said=; cat box.out box.err | grep -Eiq "refused|connect to server|Errno 111|ConnectException" && said=refused
    sed "s/^/$1 said: /" box.err >&2
    echo "$1: $status [$said] `tr '\n' ' ' <box.out`"
}
for host in far shut; do
    HOST=$host.test sh -c "$client" >box.out 2>box.err & box=$!; tell "$host, no box"
done
box --allow-host $to; tell allowed
box --on-ask deny --allow-host allowed.test; tell "not allowed"
box --on-ask 60s; it=$(ask); yes $it --scope $scope 2>/dev/null; tell approved
box --on-ask 60s; it=$(ask); "$revet" deny $it 2>/dev/null; tell denied
for what in target ask; do "$revet" asks --all --json | valuesOf $what | sed 's/.*-//' | sort | uniq -c; done
)";

} // namespace

/// Unchanged programs that people run, each with its own way to resolve, to connect and to retry.
class NetworkClientsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        REVET_NEEDS_ORDINARY_USER();
        REVET_NEEDS(UserNamespaces);
        REVET_NEEDS(SeccompNotify);
        for (const char* const program : {"python3", "ip", "setpriv", "unshare", "openssl"}) {
            REVET_NEEDS_PROGRAM(program);
        }
    }

    void isServedAndToldTheTruth_data()
    {
        std::vector<std::string> names;
        for (const auto& [name, client] : kClients) {
            names.push_back(name);
        }
        addTierRows("client", names);
    }
    void isServedAndToldTheTruth()
    {
        const Client& client = kClients.at(fetched("client"));
        for (const std::string& program : client.programs) {
            if (const std::string why = whyNoProgram(program);
                !why.empty() && std::count(kOptional.begin(), kOptional.end(), program) != 0) {
                QSKIP(why.c_str());
            }
            REVET_NEEDS_PROGRAM(program);
        }
        const World world;
        std::filesystem::copy(REVET_CLIENT_DIRECTORY, world.project());
        world.prepare(client.preparation);
        const std::string far = world.home().home() / "far";
        std::vector<std::string> services{"/usr/bin/python3",
                                          world.project() / "services.py",
                                          "far.test",
                                          far,
                                          "93.184.216.40",
                                          "2606:4700::40",
                                          "--"};
        services.insert(services.end(), client.services.begin(), client.services.end());
        const Finished finished
            = scriptOnInternet(world, kScript, {far, client.port, client.scope, client.script}, services);

        std::map<std::string, std::string> said;
        std::istringstream lines(finished.out);
        for (std::string line; std::getline(lines, line);) {
            const std::size_t colon = line.find(": ");
            said[line.substr(0, colon)] = colon == std::string::npos ? "" : line.substr(colon + 2);
        }
        const std::string all = text(finished);
        QVERIFY2(said["far, no box"].starts_with("0 [] ") && said["far, no box"].size() > 6, all.c_str());
        QVERIFY2(!said["shut, no box"].starts_with("0 ")
                     && said["shut, no box"].find(" [refused] ") != std::string::npos,
                 all.c_str());
        for (const char* const as : {"allowed", "approved"}) {
            QVERIFY2(said[as] == said["far, no box"], all.c_str());
        }
        for (const char* const as : {"not allowed", "denied"}) {
            QVERIFY2(said[as] == said["shut, no box"], all.c_str());
        }
        // The first one of each session but the first, and never another.
        const std::string target = "far.test:" + client.port;
        QVERIFY2(finished.out.find("\n      3 " + target + "\n      3 1\nasked outside: \n")
                     != std::string::npos,
                 all.c_str());
        const auto events = world.runner().list({"log", "--kind", "connect"});
        std::map<std::string, int> verdicts;
        for (const nlohmann::json& event : events) {
            QCOMPARE(event.value("target", ""), target);
            ++verdicts[event.value("verdict", "")];
        }
        for (const char* const verdict : {"permitted", "asked", "approved", "denied"}) {
            QVERIFY2(verdicts[verdict] > 0, verdict);
        }
    }
};

QTEST_GUILESS_MAIN(NetworkClientsTest)
#include "tst_network_clients.moc"
