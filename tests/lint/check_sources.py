#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Revet developers
# SPDX-License-Identifier: Apache-2.0
"""check_sources.py ROOT: what no compiler objects to and no reader wants.

A file is one notion, so at most 500 lines, or its reason stands in tests/lint/long_files.txt; no tabs, no
space at the end of a line, no conflict marks, and nothing left to do without the number of an issue.
"""
import pathlib
import re
import sys

from tree import report, sources

MOST_LINES = 500
LINE_RULES = [
    (re.compile(r"\t"), "has a tab"),
    (re.compile(r"\s+$"), "ends in white space"),
    (re.compile(r"^(<{7}|>{7}|={7})( |$)"), "is a conflict mark"),
    (re.compile(r"\b(TODO(?!\(#\d+\))|FIXME|XXX\b(?!X))"), "leaves something to do without an issue: TODO(#123)"),
]


def long_files_with_reason(root):
    """Lines of the list are 'path: reason'; a path without a reason does not count."""
    listed = {}
    for line in (root / "tests/lint/long_files.txt").read_text().splitlines():
        path, _, reason = line.partition(":")
        if reason.strip() and not line.startswith("#"):
            listed[path.strip()] = reason.strip()
    return listed


def main(root):
    listed = long_files_with_reason(root)
    problems = [f"tests/lint/long_files.txt: {path} does not exist" for path in listed if not (root / path).is_file()]
    for path in sources(root):
        name = str(path.relative_to(root))
        lines = path.read_text(errors="replace").split("\n")
        if len(lines) - 1 > MOST_LINES and name not in listed:
            problems.append(f"{name}: has {len(lines) - 1} lines, more than {MOST_LINES}: split it by notion")
        # This file and its test name what they look for.
        if name.startswith("tests/lint/"):
            continue
        for number, line in enumerate(lines, 1):
            problems += [f"{name}:{number}: {what}" for rule, what in LINE_RULES if rule.search(line)]
    return problems


if __name__ == "__main__":
    found = main(pathlib.Path(sys.argv[1]))
    sys.exit(report(found))
