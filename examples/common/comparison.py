"""Compares the tables of a SQLite database with the rows that an oracle expects.

Every oracle computes its rows from the events alone; this module only reads tables and words the
difference. It prints one line a table, and the rows that differ.
"""

import json
import sqlite3
import sys

MOST_DIFFERENCES = 20


class Comparison:
    """The comparison of one database. Ends the process with 1 when something was different."""

    def __init__(self, database):
        # Read-only, so that a wrong path is an error and no empty database.
        self.connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
        self.faults = 0

    def table(self, name, columns, expected, json_columns=()):
        """Compares a whole table; `expected` has a tuple a row, in the order of `columns`.

        Texts in `json_columns` are compared as the JSON values they hold.
        """
        expected = list(expected)
        if not expected and not self.exists(name):
            # The tables of a tenant are made when its first row is written.
            print(f"{name}: no row and no table, as expected")
            return
        names = ", ".join(f'"{column}"' for column in columns)
        try:
            found = self.connection.execute(f'SELECT {names} FROM "{name}"').fetchall()
        except sqlite3.Error as error:
            self.faults += 1
            print(f"{name}: {error}")
            return
        plain = {columns.index(column) for column in json_columns}
        expected = sorted(repr(tuple(row)) for row in expected)
        found = sorted(repr(tuple(parsed(row, plain))) for row in found)
        self.report(name, "row(s)", columns, expected, found)

    def exists(self, name):
        """Whether the database has a table of that name."""
        query = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?"
        return self.connection.execute(query, (name,)).fetchone()[0] == 1

    def counts(self, projection, expected, report):
        """Compares counts that the program printed as JSON with those an oracle expects."""
        found = report["projections"].get(projection, {})
        names = sorted(expected)
        self.report(
            f"counts of {projection}",
            "count(s)",
            names,
            [f"{name} = {expected[name]}" for name in names],
            [f"{name} = {found.get(name)}" for name in names],
        )

    def report(self, name, what, columns, expected, found):
        """Prints whether two sorted lists of lines are the same, else how they differ."""
        if expected == found:
            print(f"{name}: {len(expected)} {what} as expected")
            return
        self.faults += 1
        missing, surplus = difference(expected, found), difference(found, expected)
        print(f"{name}: {len(missing)} {what} missing, {len(surplus)} not expected")
        print(f"    ({', '.join(columns)})")
        for sign, lines in (("-", missing), ("+", surplus)):
            for line in lines[:MOST_DIFFERENCES]:
                print(f"  {sign} {line}")
            if len(lines) > MOST_DIFFERENCES:
                print(f"  {sign} and {len(lines) - MOST_DIFFERENCES} more")

    def finish(self):
        """Ends the process: 0 when everything was as expected."""
        self.connection.close()
        sys.exit(1 if self.faults else 0)


def parsed(row, plain):
    """The row, with the columns in `plain` as parsed JSON in one canonical spelling."""
    for index, value in enumerate(row):
        if index in plain and value is not None:
            value = json.dumps(json.loads(value), sort_keys=True)
        yield value


def difference(ours, theirs):
    """The lines of `ours` that `theirs` does not have, counting repeated ones."""
    left = list(theirs)
    only = []
    for line in ours:
        if line in left:
            left.remove(line)
        else:
            only.append(line)
    return only


def last_report(path):
    """The counts that `--format json` puts on the last line of its output."""
    with open(path, encoding="utf-8") as lines:
        return json.loads(lines.read().splitlines()[-1])
