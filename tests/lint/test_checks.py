#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Revet developers
# SPDX-License-Identifier: Apache-2.0
"""Plants one violation at a time in a small clean tree and expects the check to name it."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).parent
HEADER = "// SPDX-FileCopyrightText: The Revet developers\n// SPDX-License-Identifier: Apache-2.0\n\n"
TS = '<?xml version="1.0"?><TS version="2.1"><context><name>Page</name>{}</context></TS>'
REVET_1 = """.SH COMMANDS
.SS revet ps [\\-\\-all] [\\-\\-json]
.SS revet run [OPTIONS]
.TP
.BI \\-\\-tier " TIER"
.SH EXAMPLES
revet run \\-\\- make \\-\\-jobs
"""
KEYS = ".SH KEYS\n{}.SH EXAMPLE\n.TP\n.B other\n"
CLEAN = {
    "engine/LAYERS": "# comment\nbase:\ndomain: base\nos: base\npolicy: base domain\napi: base domain os\ncli: base domain api\n",
    "engine/base/error.h": HEADER + "#include <string>\n",
    "engine/domain/event.h": HEADER + '#include "engine/base/error.h"\n#include "engine/domain/tier.h"\n',
    "gui/models/event_model.h": HEADER + '#include "engine/api/engine.h"\n#include <QString>\n',
    "tests/lint/long_files.txt": "",
    "engine/cli/ps_command.cpp": HEADER + 'app.add_flag("--all", isAll, "also ended ones");\n',
    "engine/cli/run_command.cpp": HEADER,
    "engine/cli/run_options.cpp": HEADER + 'app.add_option("--tier", tier, "how strong");\n',
    "engine/cli/session_argument.cpp": HEADER + 'app.add_flag("--json", isJson, "one object a line");\n',
    "engine/policy/settings_fields.cpp": HEADER + '    {"limits.time", setLimit<&Limits::time, parseTime>},\n'
    '    {"env", &Settings::env, isVariable},\n',
    "engine/policy/profile.cpp": HEADER + 'reader.allowOnly({"exe",\n"set"});\n',
    "packaging/man/revet.1": REVET_1,
    "packaging/man/revet-settings.5": KEYS.format(".TP\n.B limits.time\\fR, \\fBenv\n"),
    "packaging/man/revet-profile.5": KEYS.format(".TP\n.B exe\n.TP\n.B set\n"),
    "translations/revet_de.ts": TS.format(
        "<message><source>%1 of %2</source><translation>%2: %1</translation></message>"
        '<message><source>Ask</source><translation type="unfinished"></translation></message>'
    ),
}


class ChecksTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name, text in CLEAN.items():
            self.write(name, text)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run_check(self, check):
        program = [HERE / check] if check.endswith(".sh") else [sys.executable, HERE / check]
        done = subprocess.run([*program, self.root], capture_output=True, text=True, check=False)
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout

    def assert_found(self, check, name, text, expected):
        self.assertEqual(self.run_check(check)[0], 0, "the clean tree")
        self.write(name, text)
        status, output = self.run_check(check)
        self.assertEqual(status, 1, output)
        self.assertIn(expected, output)

    def test_layers_finds_an_arrow_up(self):
        self.assert_found("check_layers.py", "engine/os/a.cpp", '#include "engine/domain/event.h"\n',
                          "engine/os/a.cpp:1: engine/os/ may not use engine/domain/")

    def test_layers_finds_an_indented_include(self):
        self.assert_found("check_layers.py", "engine/os/a.cpp", '\n  #  include "engine/api/engine.h"\n',
                          "engine/os/a.cpp:2:")

    def test_layers_finds_qt_in_the_engine(self):
        self.assert_found("check_layers.py", "engine/base/a.h", "#include <QtCore/QString>\n", "free of Qt")

    def test_layers_finds_the_gui_in_the_engine(self):
        self.assert_found("check_layers.py", "engine/api/a.h", '#include "gui/app/a.h"\n', "does not know gui/")

    def test_layers_finds_the_tests_in_the_engine(self):
        self.assert_found("check_layers.py", "engine/api/a.h", '#include "tests/support/a.h"\n', "the tests")

    def test_layers_finds_the_gui_reaching_past_the_api(self):
        self.assert_found("check_layers.py", "gui/app/a.cpp", '#include "engine/os/process.h"\n',
                          "gui/ may not use engine/os/")

    def test_layers_finds_an_unlisted_room(self):
        self.assert_found("check_layers.py", "engine/attic/a.h", "", "engine/attic/ is not listed")

    def test_layers_finds_a_circle(self):
        self.assert_found("check_layers.py", "engine/LAYERS", "base: os\nos: base\ndomain: base\n", "base is on a circle")

    def test_licenses_finds_a_missing_header(self):
        self.assert_found("check_licenses.py", "gui/app/a.cpp", "#pragma once\n", "gui/app/a.cpp:1")

    def test_licenses_finds_another_license(self):
        self.assert_found("check_licenses.py", "gui/app/a.cpp", HEADER.replace("Apache-2.0", "MIT"), "gui/app/a.cpp:1")

    def test_licenses_looks_into_scripts_without_suffix(self):
        self.assert_found("check_licenses.py", "packaging/setup", "#!/bin/sh\n", "packaging/setup:1")

    def test_licenses_accepts_the_header_after_an_interpreter(self):
        self.write("packaging/setup", "#!/bin/sh\n" + HEADER.replace("//", "#"))
        self.assertEqual(self.run_check("check_licenses.py"), (0, ""))

    def test_manual_finds_an_option_without_a_word(self):
        self.assert_found("check_manual.py", "engine/cli/run_options.cpp", 'add_option("--tier"); add_flag("--detach")\n',
                          "revet run: --detach is not there")

    def test_manual_finds_an_option_under_another_command_only(self):
        self.assert_found("check_manual.py", "engine/cli/ps_command.cpp", 'add_flag("--all"); add_flag("--tier")\n',
                          "revet ps: --tier is not there")

    def test_manual_finds_an_option_that_nobody_takes(self):
        self.assert_found("check_manual.py", "engine/cli/ps_command.cpp", "\n", "revet ps has no --all")

    def test_manual_finds_a_setting_without_a_word(self):
        self.assert_found("check_manual.py", "packaging/man/revet-settings.5", KEYS.format(".TP\n.B env\n"),
                          "revet-settings.5: the key limits.time is not there")

    def test_manual_finds_a_key_that_no_profile_has(self):
        self.assert_found("check_manual.py", "packaging/man/revet-profile.5",
                          KEYS.format(".TP\n.B exe\n.TP\n.B set\n.TP\n.B visble\n"),
                          "revet-profile.5: there is no key visble")

    def test_sources_finds_a_long_file(self):
        self.assert_found("check_sources.py", "gui/app/a.cpp", "\n" * 501, "has 501 lines")

    def test_sources_accepts_a_long_file_with_its_reason_only(self):
        self.write("gui/app/a.cpp", "\n" * 501)
        self.write("tests/lint/long_files.txt", "gui/app/a.cpp: \n")
        self.assertEqual(self.run_check("check_sources.py")[0], 1)
        self.write("tests/lint/long_files.txt", "gui/app/a.cpp: one table\n")
        self.assertEqual(self.run_check("check_sources.py"), (0, ""))

    def test_sources_finds_a_reason_for_a_file_that_has_gone(self):
        self.assert_found("check_sources.py", "tests/lint/long_files.txt", "gui/gone.cpp: one table\n", "does not exist")

    def test_sources_finds_unclean_lines(self):
        for line, expected in [
            ("\tint a;", "has a tab"),
            ("int a; ", "ends in white space"),
            ("<<<<<<< HEAD", "conflict mark"),
            ("// TODO: later", "without an issue"),
            ("// FIXME later", "without an issue"),
        ]:
            with self.subTest(line):
                self.write("gui/app/a.cpp", line + "\n")
                status, output = self.run_check("check_sources.py")
                self.assertEqual(status, 1)
                self.assertIn("gui/app/a.cpp:1: ", output)
                self.assertIn(expected, output)

    def test_sources_accepts_what_an_issue_carries(self):
        self.write("gui/app/a.cpp", "// TODO(#12): later\n")
        self.assertEqual(self.run_check("check_sources.py"), (0, ""))

    def test_translations_finds_a_lost_argument(self):
        self.assert_found("check_translations.sh", "translations/revet_de.ts",
                          TS.format("<message><source>%1 of %2</source><translation>%1</translation></message>"),
                          "arguments differ: %1 of %2 -> %1")

    def test_translations_finds_a_lost_argument_in_one_plural_form(self):
        self.assert_found("check_translations.sh", "translations/revet_de.ts", TS.format(
            '<message numerus="yes"><source>%n file(s) in %1</source><translation><numerusform>eine Datei in %1'
            "</numerusform><numerusform>%n Dateien</numerusform></translation></message>"), "-> %n Dateien")

    def test_translations_finds_unfinished_english(self):
        self.assert_found("check_translations.sh", "translations/revet_en.ts", TS.format(
            '<message><source>%n file(s)</source><translation type="unfinished"></translation></message>'),
            "unfinished in English")

    def test_translations_finds_broken_xml(self):
        self.assert_found("check_translations.sh", "translations/revet_de.ts", "<TS>", "revet_de.ts: ")


if __name__ == "__main__":
    unittest.main()
