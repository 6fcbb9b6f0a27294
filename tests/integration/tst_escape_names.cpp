// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/local_internet.h"
#include "tests/support/kernel_gate.h"

#include <QTest>

#include <filesystem>
#include <fstream>
#include <set>

using namespace revet::test;

namespace {

/// What the victims do is in Python, since what they say is bytes.
std::vector<std::string> deed(const std::string& name)
{
    return {"/usr/bin/python3", "-c", readFile(std::filesystem::path(REVET_DEED_DIRECTORY) / name)};
}

const std::vector<std::string> kRules{"--allow-host", "far.test",     "--allow-host",
                                      "**.far.test",  "--allow-host", "far.test:2222"};

Finished inBox(const World& world, const std::vector<std::string>& options,
               const std::vector<std::string>& command)
{
    std::vector<std::string> words{SessionRunner::program("revet"), "run", "--tier", fetched("tier")};
    words.insert(words.end(), options.begin(), options.end());
    words.emplace_back("--");
    words.insert(words.end(), command.begin(), command.end());
    return onInternet(world, words, deed("far_end.py"));
}
std::set<std::string> packetsOf(const World& world)
{
    std::ifstream file(world.home().home() / "packets");
    std::set<std::string> packets;
    for (std::string line; std::getline(file, line);) {
        packets.insert(line);
    }
    return packets;
}

} // namespace

/// SECURITY.md E018, E032, E033, E034 and E037: no host is reached by passing for another one. What far.test
/// and the machine's own resolver heard is what counts, and each deed succeeds where there is no box.
class EscapeNamesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void reachesWhatARuleNamesAndNoMore_data();
    void reachesWhatARuleNamesAndNoMore();
    void saysNothingToAnother_data();
    void saysNothingToAnother();
    void saysItAllWithoutABox();
    void helpsNobodyOutByAForwarder_data();
    void helpsNobodyOutByAForwarder();
    void takesNoNameThatCanBeReadAsTwo_data();
    void takesNoNameThatCanBeReadAsTwo();
    void reachesNoMetadataOfACloud_data();
    void reachesNoMetadataOfACloud();
    void findsItWithoutABox();
};

void EscapeNamesTest::initTestCase()
{
    REVET_NEEDS_ORDINARY_USER();
    REVET_NEEDS(UserNamespaces);
    REVET_NEEDS(SeccompNotify);
    for (const char* const program : {"python3", "curl", "ip", "setpriv", "unshare"}) {
        REVET_NEEDS_PROGRAM(program);
    }
}

/// E018.
void EscapeNamesTest::reachesWhatARuleNamesAndNoMore_data()
{
    QTest::addColumn<QString>("tier");
    QTest::addColumn<QString>("rules");
    QTest::addColumn<QString>("reached");
    const auto row = [](const char* rules, const char* reached) {
        for (const char* const tier : {"sandbox", "container"}) {
            QTest::addRow("%s, %s", rules, tier)
                << QString::fromLatin1(tier) << QString::fromLatin1(rules) << QString::fromLatin1(reached);
        }
    };
    row("", "");
    row("far.test", "far.test far.test:443 FAR.Test far.test.");
    row("FAR.TEST.", "far.test far.test:443 FAR.Test far.test.");
    row("far.test:80", "far.test FAR.Test far.test.");
    row("far.test:8080", "far.test:8080");
    row("*.far.test", "x.far.test");
    row("**.far.test:80", "x.far.test a.x.far.test");
    row("x.far.test", "x.far.test");
    row("allowed.test", "");
}
void EscapeNamesTest::reachesWhatARuleNamesAndNoMore()
{
    const World world;
    const std::string rules = fetched("rules");
    std::vector<std::string> words{SessionRunner::program("revet"), "run", "--tier", fetched("tier")};
    if (!rules.empty()) {
        words.insert(words.end(), {"--allow-host", rules});
    }
    words.insert(words.end(), {"--", "/bin/sh", "-c", R"(
for host in far.test far.test:443 FAR.Test far.test. far.test:8080 x.far.test a.x.far.test notfar.test \
far.test.evil.test far.tes test 93.184.216.40 far.test@notfar.test; do
test "`curl -s -m 60 http://$host/`" = answered && printf '%s ' $host
done)"});
    const Finished finished = onInternet(world, words, deed("far_end.py"));
    QCOMPARE(finished.out,
             fetched("reached") + (fetched("reached").empty() ? "" : " ") + "asked outside: \n");
}

/// E032, E034.
void EscapeNamesTest::saysNothingToAnother_data()
{
    addTierRows();
}
void EscapeNamesTest::saysNothingToAnother()
{
    const World world;
    const Finished finished = inBox(world, kRules, deed("say.py"));
    QVERIFY2(finished.out.ends_with("of them fine, wrong: \nasked outside: \n"),
             (finished.out + finished.err).c_str());
    const std::string heard = readFile(world.home().home() / "heard");
    QVERIFY2(heard.find("evil") == std::string::npos, heard.c_str());
    QVERIFY2(heard.find("far.test") != std::string::npos, heard.c_str());
    REVET_VERIFY_NONE(missingEvents(world, {.kinds = {"connect"}, .verdicts = {"denied"}},
                                    {"far.test:443", "far.test:80", "far.test:2222"}));
}

void EscapeNamesTest::saysItAllWithoutABox()
{
    const World world;
    const Finished finished = onInternet(world, deed("say.py"), deed("far_end.py"));
    QVERIFY2(finished.out.find("said, ") != std::string::npos, finished.err.c_str());
    const std::string heard = readFile(world.home().home() / "heard");
    for (const char* const deed :
         {"evil.test", "GET /evil", "PRI * HTTP/2", "CONNECT evil.test", "evil.far.test"}) {
        QVERIFY2(heard.find(deed) != std::string::npos, deed);
    }
}

/// E032: who connects is judged, not for whom.
void EscapeNamesTest::helpsNobodyOutByAForwarder_data()
{
    addTierRows();
}
void EscapeNamesTest::helpsNobodyOutByAForwarder()
{
    const World world;
    // A tunnel of a box's own, for the programs beside it and for another box.
    const Finished finished = scriptOnInternet(world, R"(
"$revet" run --tier $tier --allow-host allowed.test -- python3 -c "$1" >one.out & one=$!
until grep -q 35: one.out; do kill -0 $one || break; sleep 0.05; done
start --allow-host allowed.test -- sh -c 'curl -s -x http://127.0.0.1:3128 http://allowed.test/; echo $?'
finish; kill $one; wait $one; cat one.out
)",
                                               {deed("forward.py").back()});
    QCOMPARE(finished.out,
             "status 0: 7\nallowed.test: this is 93.184.216.34 0\nother.test:  56\n93.184.216.35:  56\n"
             "asked outside: \n");
}

/// E033: by the box's resolver, in a hello, as a host.
void EscapeNamesTest::takesNoNameThatCanBeReadAsTwo_data()
{
    addTierRows();
}
void EscapeNamesTest::takesNoNameThatCanBeReadAsTwo()
{
    const World world;
    const Finished finished = inBox(world, kRules, deed("ask_names.py"));
    QVERIFY2(finished.out.ends_with("names, passed: \nFalse True True True\nasked outside: plain.far.test\n"),
             (finished.out + finished.err).c_str());
    const std::string heard = readFile(world.home().home() / "heard");
    QVERIFY2(heard.find("evil") == std::string::npos, heard.c_str());
}

/// E037.
void EscapeNamesTest::reachesNoMetadataOfACloud_data()
{
    addTierRows();
}
void EscapeNamesTest::reachesNoMetadataOfACloud()
{
    const World world;
    // Not by a rule, not by one for all addresses, and nobody is ever asked about it.
    const Finished finished = scriptOnInternet(world, R"(
start --on-ask 60s --allow-host far.test --allow-host meta.test --allow-host meta6.test:80 \
--allow-host '*.google.internal' --allow-host 169.254.0.0/16 --allow-host fd00::/8 --allow-host 0.0.0.0/0 --allow-host ::/0 -- \
sh -c 'for place in 169.254.169.254 meta.test [fd00:ec2::254]; do
        curl -sL -m 60 http://far.test/to/$place; echo $?
    done
    exec python3 -c "$0"' "$1"
finish; "$revet" asks --all --json | valuesOf target
)",
                                               {deed("reach_metadata.py").back()}, deed("far_end.py"));
    QVERIFY2(finished.out.starts_with("status 0: 7\n7\n7\n")
                 && finished.out.ends_with("places, reached: \nasked outside: \n"),
             (finished.out + finished.err).c_str());
    for (const std::string& packet : packetsOf(world)) {
        QVERIFY2(packet == "tcp 93.184.216.40:80" || packet == "tcp [2606:4700::40]:80", packet.c_str());
    }
    REVET_VERIFY_NONE(missingEvents(world, {.kinds = {"connect"}, .verdicts = {"denied"}},
                                    {"169.254.169.254:80", "[fd00:ec2::254]:80", "meta.test:80"}));
}

void EscapeNamesTest::findsItWithoutABox()
{
    const World world;
    const std::string places
        = "169.254.169.254 2852039166 0251.0376.0251.0376 0xA9.0xFE.0xA9.0xFE ::ffff:a9fe:a9fe meta.test";
    std::vector<std::string> command = deed("reach_metadata.py");
    command.push_back(places);
    const Finished finished = onInternet(world, command);
    QVERIFY2(finished.out.starts_with("6 places, reached: " + places + '\n'), text(finished).c_str());
}

QTEST_GUILESS_MAIN(EscapeNamesTest)
#include "tst_escape_names.moc"
