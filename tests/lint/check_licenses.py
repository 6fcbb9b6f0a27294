#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Revet developers
# SPDX-License-Identifier: Apache-2.0
"""check_licenses.py ROOT: every source file begins with the two SPDX lines, after #! where there is one."""
import pathlib
import sys

from tree import report, sources

HEADER = ["SPDX-FileCopyrightText: The Revet developers", "SPDX-License-Identifier: Apache-2.0"]


def has_header(path):
    lines = path.read_text(errors="replace").splitlines()
    if lines and lines[0].startswith("#!"):
        lines = lines[1:]
    return [line.lstrip("/#- ") for line in lines[:2]] == HEADER


if __name__ == "__main__":
    root = pathlib.Path(sys.argv[1])
    found = [f"{path.relative_to(root)}:1: lacks the SPDX header" for path in sources(root) if not has_header(path)]
    sys.exit(report(found))
