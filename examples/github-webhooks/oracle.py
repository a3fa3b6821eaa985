"""Says what `projections.yaml` must make of GitHub's webhooks, computed from the events alone.

Every table is written here a second time, as plain Python over the payloads; the file with the
projections is not read.

Usage: oracle.py EVENTS DATABASE
"""

import json
import sys
from datetime import datetime, timezone

from comparison import Comparison

TENANT = "github_webhooks_prod"


def main():
    events_path, database = sys.argv[1:]
    with open(events_path, encoding="utf-8") as lines:
        events = [json.loads(line) for line in lines]
    assert {event["tenantSchema"] for event in events} == {TENANT}

    comparison = Comparison(database)
    for table, (rows, columns) in TABLES.items():
        json_columns = [column for column in columns if column in JSON_COLUMNS]
        expected = rows(events).values()
        comparison.table(f"{TENANT}__{table}", columns, expected, json_columns)
    comparison.finish()


def relevant(events, *types):
    """The events of these types, without those that a projection must take for repeated or late."""
    last = {}
    for event in events:
        if event["eventType"] not in types:
            continue
        entity = (event["tenantSchema"], event["forkId"], event["entityId"])
        if event["sequenceNumber"] > last.get(entity, -1):
            last[entity] = event["sequenceNumber"]
            yield event["eventType"], event, event["payload"]


def moment(value):
    """A moment as text in UTC, from Unix milliseconds or from a text with a zone."""
    if value is None:
        return None
    if isinstance(value, int):
        at = datetime.fromtimestamp(value // 1000, timezone.utc).replace(microsecond=value % 1000 * 1000)
    else:
        at = datetime.fromisoformat(value.replace("Z", "+00:00")).astimezone(timezone.utc)
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03}Z"


def canonical(value):
    """A JSON value as the comparison spells it; no value stays none."""
    return None if value is None else json.dumps(value, sort_keys=True)


def truth(value):
    """A truth value as SQLite keeps it."""
    return None if value is None else int(value)


def inside(value, *steps):
    """What stands at that place; none where a step leads nowhere."""
    for step in steps:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def open_pull_requests(events):
    changes = (
        "OPENED REOPENED SYNCHRONIZE ASSIGNED UNASSIGNED LABELED UNLABELED LOCKED UNLOCKED "
        "CONVERTED_TO_DRAFT READY_FOR_REVIEW CLOSED"
    )
    rows = {}
    for kind, event, payload in relevant(events, *(f"PULL_REQUEST_{name}" for name in changes.split())):
        request = payload["pull_request"]
        key = (payload["repository"]["full_name"], request["number"])
        if kind == "PULL_REQUEST_CLOSED":
            rows.pop(key, None)
            continue
        rows[key] = (
            *key,
            request["id"],
            request["title"],
            request["user"]["login"],
            inside(request, "assignee", "login"),
            truth(inside(request, "draft")),
            truth(inside(request, "locked")),
            canonical(inside(request, "labels")),
            inside(request, "labels", 0, "name"),
            inside(request, "head", "sha"),
            inside(request, "additions"),
            moment(request["created_at"]),
            moment(event["ts"]),
            kind,
        )
    return rows


def open_issues(events):
    changes = "OPENED REOPENED EDITED ASSIGNED UNASSIGNED LABELED UNLABELED LOCKED UNLOCKED MILESTONED DEMILESTONED"
    ends = "CLOSED DELETED TRANSFERRED"
    rows = {}
    for kind, event, payload in relevant(events, *(f"ISSUES_{name}" for name in f"{changes} {ends}".split())):
        issue = payload["issue"]
        key = (payload["repository"]["full_name"], issue["number"])
        if kind.removeprefix("ISSUES_") in ends.split():
            rows.pop(key, None)
            continue
        rows[key] = (
            *key,
            issue["title"],
            issue["user"]["login"],
            inside(issue, "assignee", "login"),
            inside(issue, "milestone", "title"),
            truth(inside(issue, "locked")),
            inside(issue, "comments"),
            canonical(inside(issue, "labels")),
            moment(issue["created_at"]),
            moment(event["ts"]),
        )
    return rows


def stars(events):
    rows = {}
    for kind, event, payload in relevant(events, "STAR_CREATED", "STAR_DELETED"):
        key = payload["repository"]["full_name"]
        _, count, seen, _ = rows.get(key, (key, 0, 0, None))
        count += 1 if kind == "STAR_CREATED" else -1
        rows[key] = (key, count, seen + 1, moment(event["ts"]))
    return rows


def stargazers(events):
    rows = {}
    for kind, _, payload in relevant(events, "STAR_CREATED", "STAR_DELETED"):
        key = (payload["repository"]["full_name"], payload["sender"]["login"])
        if kind == "STAR_CREATED":
            rows[key] = (*key, payload["sender"]["id"], moment(payload["starred_at"]))
        else:
            rows.pop(key, None)
    return rows


def watchers(events):
    rows = {}
    for _, event, payload in relevant(events, "WATCH_STARTED"):
        key = (payload["repository"]["full_name"], payload["sender"]["login"])
        rows.setdefault(key, (*key, moment(event["ts"]), event["sequenceNumber"]))
    return rows


def pushed_commits(events):
    rows = {}
    for _, _, payload in relevant(events, "PUSH"):
        scope = (payload["repository"]["full_name"], payload["ref"])
        rows = {key: row for key, row in rows.items() if key[:2] != scope}
        for commit in payload["commits"]:
            key = (*scope, commit["id"])
            rows[key] = (
                *key,
                commit["message"],
                inside(commit, "author", "username"),
                moment(commit["timestamp"]),
                canonical(commit["added"]),
                payload["pusher"]["name"],
            )
    return rows


def issue_labels(events):
    rows = {}
    for _, _, payload in relevant(events, "ISSUES_OPENED", "ISSUES_LABELED", "ISSUES_UNLABELED"):
        scope = (payload["repository"]["full_name"], payload["issue"]["number"])
        rows = {key: row for key, row in rows.items() if key[:2] != scope}
        for label in payload["issue"]["labels"]:
            key = (*scope, label["name"])
            rows[key] = (*key, label["id"], label["color"], truth(label["default"]))
    return rows


def releases(events):
    changes = "CREATED PUBLISHED EDITED PRERELEASED RELEASED DELETED"
    rows = {}
    for kind, _, payload in relevant(events, *(f"RELEASE_{name}" for name in changes.split())):
        release = payload["release"]
        if kind == "RELEASE_DELETED":
            rows.pop(release["id"], None)
            continue
        rows[release["id"]] = (
            release["id"],
            payload["repository"]["full_name"],
            release["tag_name"],
            release["name"],
            truth(release["draft"]),
            truth(release["prerelease"]),
            moment(release["published_at"]),
            "webhook",
        )
    return rows


def forks(events):
    rows = {}
    for _, _, payload in relevant(events, "FORK"):
        key = payload["repository"]["full_name"]
        count = rows[key][1] if key in rows else 0
        fork = payload["forkee"]
        rows[key] = (key, count + 1, fork["full_name"], fork["owner"]["login"])
    return rows


def workflow_runs(events):
    rows = {}
    for _, _, payload in relevant(events, "WORKFLOW_RUN_REQUESTED", "WORKFLOW_RUN_COMPLETED"):
        run = payload["workflow_run"]
        rows[run["id"]] = (
            run["id"],
            payload["repository"]["full_name"],
            inside(payload, "workflow", "name"),
            run["run_number"],
            run["status"],
            run["conclusion"],
            payload["sender"]["login"],
            moment(run["created_at"]),
            canonical(inside(run, "head_commit")),
        )
    return rows


def activity(events):
    types = (
        "CHECK_RUN_CREATED CHECK_RUN_COMPLETED CHECK_SUITE_COMPLETED COMMIT_COMMENT_CREATED CREATE "
        "DELETE DEPLOYMENT_CREATED FORK ISSUE_COMMENT_CREATED ISSUE_COMMENT_EDITED "
        "ISSUE_COMMENT_DELETED PUSH STATUS WORKFLOW_RUN_COMPLETED"
    )
    rows = {}
    for kind, event, _ in relevant(events, *types.split()):
        key = (event["entityId"], kind)
        count = rows[key][2] if key in rows else 0
        rows[key] = (*key, count + 1, event["sequenceNumber"], moment(event["ts"]))
    return rows


JSON_COLUMNS = {"labels", "added", "head_commit"}

TABLES = {
    "open_pull_requests": (
        open_pull_requests,
        "repository number github_id title author assignee draft locked labels first_label head "
        "additions opened_at changed_at last_event".split(),
    ),
    "open_issues": (
        open_issues,
        "repository number title author assignee milestone locked comments labels opened_at "
        "changed_at".split(),
    ),
    "stars": (stars, ["repository", "stars", "events", "changed_at"]),
    "stargazers": (stargazers, ["repository", "login", "user_id", "starred_at"]),
    "watchers": (watchers, ["repository", "login", "since", "first_sequence"]),
    "pushed_commits": (
        pushed_commits,
        ["repository", "ref", "commit", "message", "author", "authored_at", "added", "pushed_by"],
    ),
    "issue_labels": (
        issue_labels,
        ["repository", "issue", "label", "label_id", "color", "standard"],
    ),
    "releases": (
        releases,
        "github_id repository tag name draft prerelease published_at source".split(),
    ),
    "forks": (forks, ["repository", "forks", "last_fork", "last_forked_by"]),
    "workflow_runs": (
        workflow_runs,
        "run_id repository workflow run_number status conclusion started_by created_at "
        "head_commit".split(),
    ),
    "activity": (activity, ["repository", "event_type", "events", "last_sequence", "last_at"]),
}

if __name__ == "__main__":
    main()
