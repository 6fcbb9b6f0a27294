#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Revet developers
# SPDX-License-Identifier: Apache-2.0
#
# check_translations.sh ROOT: every translations/*.ts is XML whose finished messages hold the same %1, %2, %n
# and %L1 as their source, and English, which exists for its plurals, leaves none unfinished.
set -euo pipefail
shopt -s nullglob

files=("$1"/translations/*.ts)
if [ ${#files[@]} -eq 0 ]; then
    echo "no translations yet"
    exit 0
fi
exec python3 - "${files[@]}" <<'PYTHON'
import re
import sys
import xml.etree.ElementTree as xml

PLACE = re.compile(r"%(?:L?\d+|n)")
problems = []
for path in sys.argv[1:]:
    try:
        messages = xml.parse(path).iter("message")
    except xml.ParseError as error:
        problems.append(f"{path}: {error}")
        continue
    for message in messages:
        source = message.findtext("source", "")
        translation = message.find("translation")
        if translation is None or translation.get("type") in ("vanished", "obsolete"):
            continue
        if translation.get("type") == "unfinished":
            if path.endswith("_en.ts"):
                problems.append(f"{path}: unfinished in English: {source}")
            continue
        # A plural form may do without %n ("one file"), but never without the other arguments.
        forms = [form.text or "" for form in translation.iter("numerusform")]
        needed = set(PLACE.findall(source)) - ({"%n"} if forms else set())
        for text in forms or [translation.text or ""]:
            present = set(PLACE.findall(text)) - ({"%n"} if forms else set())
            if present != needed:
                problems.append(f"{path}: arguments differ: {source} -> {text}")
print("\n".join(problems))
sys.exit(1 if problems else 0)
PYTHON
