# SPDX-FileCopyrightText: The Revet developers
# SPDX-License-Identifier: Apache-2.0
"""What the checks share: which files are sources, and how problems are told."""
import os

SUFFIXES = {".h", ".cpp", ".c", ".py", ".sh"}
SCRIPT_FOLDERS = {".ci", "packaging"}
# resources/ is data, with a sample project in it; corpora are what the fuzzers found.
NO_SOURCES = {".git", "build", ".cache", "__pycache__", "corpus", "resources"}


def sources(root):
    """Source files below root: by suffix, and scripts that are known by their first line."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in NO_SOURCES)
        where = root / folder
        for name in sorted(names):
            path = where / name
            if path.suffix in SUFFIXES or (where.name in SCRIPT_FOLDERS and is_script(path)):
                yield path


def is_script(path):
    with path.open("rb") as file:
        return file.read(2) == b"#!"


def report(problems):
    """Prints one problem a line; the exit status of the check."""
    for problem in problems:
        print(problem)
    return 1 if problems else 0
