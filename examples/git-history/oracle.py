"""Asks git itself what `projections.yaml` must have made of a repository's history.

It reads no events: every figure comes from another git command than those that the events were made
with.

Usage: oracle.py REPOSITORY DATABASE
"""

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
        env={"TZ": "UTC", "PATH": "/usr/local/bin:/usr/bin:/bin"},
        check=True,
    )
    return done.stdout.decode("utf-8", "replace")


def entries(*arguments):
    """The entries of a command that separates them by NUL."""
    return [entry for entry in git(*arguments, "-z").split("\0") if entry]


def authors():
    """Address, name, commits, lines added and removed, last commit."""
    commits = Counter(git("log", "--first-parent", "--format=%aE").splitlines())
    for address, count in commits.items():
        # `--author` matches parts of names, so the commits are named one by one.
        mine = [line.split()[0] for line in git("log", "--first-parent", "--format=%H %aE").splitlines()
                if line.split(" ", 1)[1] == address]
        added, removed = lines_of(mine)
        last = git("log", "-1", "--format=%aN", mine[0]).rstrip("\n")
        yield address, last, count, added, removed, mine[0]


def lines_of(commits):
    """Lines added and removed by these commits, as `git log --shortstat` sums them up."""
    added = removed = 0
    for commit in commits:
        words = git(*MAINLINE, "-1", "--shortstat", "--format=", commit).replace(",", "").split()
        for count, word in zip(words, words[1:]):
            added += int(count) if word.startswith("insertion") else 0
            removed += int(count) if word.startswith("deletion") else 0
    return added, removed


def files():
    """Path, changes since it was last added, last commit."""
    for path in entries("ls-tree", "-r", "--name-only", "HEAD"):
        history = git(*MAINLINE, "--format=%H", "--name-status", "HEAD", "--", f":(literal){path}").split("\n")
        commits = [line for line in history if len(line) in (40, 64) and "\t" not in line]
        statuses = [line.split("\t")[0] for line in history if "\t" in line]
        yield path, statuses.index("A") + 1, commits[0]


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
