"""The process that searches files for a pattern; run as a script by ``code_files``.

A pattern comes from a model and may need for ever on some line, and Python cannot interrupt a match (nor does
it let other threads run meanwhile). So it runs in a process of its own, which can be ended.

Reads one JSON object from stdin (root, files, pattern, ignore_case, limit, max_bytes, max_line) and writes
one JSON object a line: ``{"file", "line", "text"}`` for each match, at last ``{"searched", "more"}``.
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
from typing import Any, TextIO


def search(order: dict[str, Any], out: TextIO) -> None:
    """Searches the files of an order, in their order, and writes each match as it is found."""
    pattern = re.compile(order["pattern"], re.IGNORECASE if order["ignore_case"] else 0)
    searched = found = 0
    for file in order["files"]:
        try:
            with open(os.path.join(order["root"], file), "rb") as stream:
                data = stream.read(order["max_bytes"] + 1)
        except OSError:
            continue
        if len(data) > order["max_bytes"] or b"\0" in data:
            continue
        searched += 1
        text = data.decode("utf-8", "replace")
        for number, line in enumerate(io.StringIO(text, newline="\n"), 1):
            line = line.removesuffix("\n").removesuffix("\r")  # as `models.text.lines_of` has it
            if pattern.search(line):
                if found == order["limit"]:
                    print(json.dumps({"searched": searched, "more": True}), file=out, flush=True)
                    return
                found += 1
                shown = {"file": file, "line": number, "text": line.strip()[: order["max_line"]]}
                print(json.dumps(shown), file=out, flush=True)
    print(json.dumps({"searched": searched, "more": False}), file=out, flush=True)


if __name__ == "__main__":
    search(json.load(sys.stdin), sys.stdout)
