#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Revet developers
# SPDX-License-Identifier: Apache-2.0
"""check_manual.py ROOT: the manual pages name the options and keys that the programs take, and no others.

revet.1 has a section "revet COMMAND" for each engine/cli/COMMAND_command.cpp; what session_argument.cpp adds
is for every command. The pages of files list their keys below KEYS.
"""
import pathlib
import re
import sys

from tree import report

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
ADDED = re.compile(r'add_(?:option|flag)\(\s*"(--[a-z-]+)')
SETTING = re.compile(r'^\s*\{"([a-z_.]+)", (?:&|set)', re.M)
# Commands that work alike share a file.
SHARED_FILES = {
    "asks": ("asks", "approve", "deny"),
    "decide": ("apply", "discard", "undo"),
    "grants": ("grants", "grant", "revoke"),
}
ALLOWED = re.compile(r"allowOnly\(\{(.*?)\}\)", re.S)


def plain(page):
    """A page's text without the marks of fonts."""
    return re.sub(r"\\f[A-Z]", "", page.replace("\\-", "-"))


def options_by_command(page):
    parts = re.split(r"^\.S([SH]) (.*)$", page, flags=re.M)
    sections = zip(parts[1::3], parts[2::3], parts[3::3])
    return {
        title.split()[1]: set(OPTION.findall(title + body))
        for kind, title, body in sections
        if kind == "S" and title.startswith("revet ")
    }


def check_options(root):
    shared = set(ADDED.findall((root / "engine/cli/session_argument.cpp").read_text()))
    documented = options_by_command(plain((root / "packaging/man/revet.1").read_text()))
    for file in sorted((root / "engine/cli").glob("*_command.cpp")):
        command = file.name.removesuffix("_command.cpp")
        taken = set(ADDED.findall(file.read_text()))
        further = file.with_name(f"{command}_options.cpp")
        if further.is_file():
            taken |= set(ADDED.findall(further.read_text()))
        sections = SHARED_FILES.get(command, (command,))
        named = set().union(*(documented.get(section, set()) for section in sections))
        for option in sorted(taken - named):
            yield f"packaging/man/revet.1: revet {command}: {option} is not there"
        for option in sorted(named - taken - shared):
            yield f"packaging/man/revet.1: revet {command} has no {option}"


def check_keys(root, name, taken):
    page = plain((root / name).read_text())
    keys = re.search(r"^\.SH KEYS$(.*?)^\.SH ", page, re.M | re.S)
    lines = re.findall(r"^\.TP\n\.B (.*)$", keys[1] if keys else "", re.M)
    named = {key for line in lines for key in re.findall(r"[a-z_.]+", line)}
    for key in sorted(taken - named):
        yield f"{name}: the key {key} is not there"
    for key in sorted(named - taken):
        yield f"{name}: there is no key {key}"


def main(root):
    settings = set(SETTING.findall((root / "engine/policy/settings_fields.cpp").read_text()))
    profile = ALLOWED.search((root / "engine/policy/profile.cpp").read_text())
    return [
        *check_options(root),
        *check_keys(root, "packaging/man/revet-settings.5", settings),
        *check_keys(root, "packaging/man/revet-profile.5", set(re.findall(r'"([a-z_]+)"', profile[1]))),
    ]


if __name__ == "__main__":
    found = main(pathlib.Path(sys.argv[1]))
    sys.exit(report(found))
