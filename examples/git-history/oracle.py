"""Asks git itself what `projections.yaml` must have made of a repository's history.

It reads no events: every figure comes from another git command than those that the events were made
with.

Usage: oracle.py REPOSITORY DATABASE
"""

import os
import subprocess
import sys
from collections import Counter

from comparison import Comparison

repository, database = sys.argv[1:]

# The same line of commits that the events follow, newest first.
MAINLINE = ["log", "--first-parent", "--diff-merges=first-parent", "--no-renames"]


def git(*arguments):
    """The output of a git command, with days in UTC and names as they are."""
    done = subprocess.run(
        ["git", "-c", "core.quotePath=false", "-C", repository, *arguments],
        stdout=subprocess.PIPE,
        env={**os.environ, "TZ": "UTC"},
        check=True,
    )
    return done.stdout.decode("utf-8", "replace")


def entries(*arguments):
    """The entries of a command that separates them by NUL."""
    return [entry for entry in git(*arguments, "-z").split("\0") if entry]


def authors():
    """Address, name, commits, lines added and removed, last commit."""
    found = {}
    for commit in git(*MAINLINE, "--shortstat", "--format=%x01%aE%x02%aN%x02%H").split("\x01")[1:]:
        address, name, rest = commit.split("\x02")
        object_name, *words = rest.replace(",", "").split()
        # The newest commit of an author comes first and says the name.
        row = found.setdefault(address, [address, name, 0, 0, 0, object_name])
        row[2] += 1
        for count, word in zip(words, words[1:]):
            row[3] += int(count) if word.startswith("insertion") else 0
            row[4] += int(count) if word.startswith("deletion") else 0
    return found.values()


def files():
    """Path, changes since it was last added, last commit."""
    present = set(entries("ls-tree", "-r", "--name-only", "HEAD"))
    changes, last, complete = Counter(), {}, set()
    for commit in git(*MAINLINE, "--name-status", "-z", "--format=%x01%H%x00").split("\x01")[1:]:
        object_name, *words = [word.strip("\n") for word in commit.split("\0")]
        words = [word for word in words if word]
        for status, path in zip(words[::2], words[1::2]):
            if path not in complete:
                changes[path] += 1
                last.setdefault(path, object_name)
            if status == "A":
                complete.add(path)
    for path in present:
        yield path, changes[path], last[path]


def activity():
    """Day, commits, files."""
    days = git("log", "--first-parent", "--date=format-local:%Y-%m-%d", "--format=%cd").splitlines()
    touched = Counter()
    for entry in git(*MAINLINE, "--date=format-local:%Y-%m-%d", "--format=%cd", "--shortstat").splitlines():
        if " changed" in entry:
            touched[day] += int(entry.split()[0])
        elif entry:
            day = entry
    for day, commits in Counter(days).items():
        yield day, commits, touched[day]


def last_files():
    """Author, path, status and subject of the files of each author's last commit."""
    seen = set()
    for line in git("log", "--first-parent", "--format=%H %aE").splitlines():
        commit, address = line.split(" ", 1)
        if address in seen:
            continue
        seen.add(address)
        subject = git("log", "-1", "--format=%s", commit).rstrip("\n")
        changes = entries(*MAINLINE, "-1", "--name-status", "--format=", commit)
        for status, path in zip(changes[::2], changes[1::2]):
            yield address, path, status[0], subject


comparison = Comparison(database)
comparison.table("authors", ["address", "name", "commits", "added", "removed", "last_commit"], authors())
comparison.table("files", ["path", "changes", "last_commit"], files())
comparison.table("activity", ["day", "commits", "files"], activity())
comparison.table("last_files", ["author", "path", "status", "subject"], last_files())
comparison.finish()
