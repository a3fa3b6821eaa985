#!/usr/bin/env python3
"""Writes the history of a git repository as events, one JSON line each, oldest first.

It follows the first parent of every merge, so that the history is one line and the files that the
events leave behind are exactly those of the last commit.

COMMIT_AUTHORED  entity: the author's address. One a commit, with its files in the payload.
FILE_CHANGED     entity: the path. One for each file that a commit adds or changes.
FILE_REMOVED     entity: the path. One for each file that a commit removes.

Usage: git-log-to-events.py [REPOSITORY]
"""

import json
import re
import subprocess
import sys
from collections import Counter
from datetime import datetime, timezone

# Between the commits of the output, and between the fields of one. No git text holds either.
COMMIT, FIELD = "\x01", "\x02"
FORMAT = COMMIT + FIELD.join(["%H", "%ct", "%aE", "%aN", "%s"]) + FIELD

# Mode, mode, object, object, status; then the path.
RAW = re.compile(r":\d+ \d+ \w+ \w+ ([A-Z])\d*")


def main():
    repository = sys.argv[1] if len(sys.argv) > 1 else "."
    log = subprocess.run(
        ["git", "-C", repository, "log", "--first-parent", "--diff-merges=first-parent",
         "--reverse", "--no-renames", "--raw", "--numstat", "-z", f"--format={FORMAT}"],
        stdout=subprocess.PIPE,
    )
    if log.returncode:
        sys.exit(f"git-log-to-events.py: git cannot tell the history of {repository}")
    output = log.stdout.decode("utf-8", "replace")
    sequence = Counter()
    for text in output.split(COMMIT)[1:]:
        for event in events_of(text):
            # The number of an event within its entity.
            sequence[event["entityId"]] += 1
            event["sequenceNumber"] = sequence[event["entityId"]]
            print(json.dumps(event))


def events_of(text):
    """The events of one commit, as git wrote it."""
    commit, seconds, address, name, subject, changes = text.split(FIELD)
    day = datetime.fromtimestamp(int(seconds), timezone.utc).strftime("%Y-%m-%d")
    files = files_of(changes)

    def event(kind, entity, payload):
        return {
            "eventType": kind,
            "entityId": entity,
            "ts": int(seconds) * 1000,
            "payload": {"commit": commit, "day": day, **payload},
        }

    yield event("COMMIT_AUTHORED", f"author:{address}", {
        "author": address,
        "name": name,
        "subject": subject,
        "added": sum(file["added"] for file in files),
        "removed": sum(file["removed"] for file in files),
        "file_count": len(files),
        "files": files,
    })
    for file in files:
        kind = "FILE_REMOVED" if file["status"] == "D" else "FILE_CHANGED"
        yield event(kind, f"file:{file['path']}", {"author": address, **file})


def files_of(changes):
    """The files of a commit, from the raw lines and the line counts that follow them."""
    files = {}
    parts = iter(changes.strip("\0\n").split("\0"))
    for part in parts:
        raw = RAW.fullmatch(part.strip("\n"))
        if raw:
            path = next(parts)
            files[path] = {"path": path, "status": raw[1], "added": 0, "removed": 0}
        elif part.count("\t") >= 2:
            added, removed, path = part.strip("\n").split("\t", 2)
            # A dash stands for a binary file, which has no lines.
            files[path]["added"] = int(added) if added != "-" else 0
            files[path]["removed"] = int(removed) if removed != "-" else 0
    return list(files.values())


if __name__ == "__main__":
    main()
