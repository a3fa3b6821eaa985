"""Says what `projections.yaml` must make of `events.jsonl`, computed from the events alone.

Usage: oracle.py EVENTS DATABASE REPORT
"""

import json
import sys

from comparison import Comparison, last_report

events_path, database, report_path = sys.argv[1:]

followers = {}
last_sequence = {}
counts = {"read": 0, "applied": 0, "unmatched": 0, "stale": 0, "dead_lettered": 0}
tenants = set()

with open(events_path, encoding="utf-8") as lines:
    for event in map(json.loads, lines):
        counts["read"] += 1
        if event["eventType"] not in ("ARTIST_FOLLOWED", "ARTIST_UNFOLLOWED"):
            counts["unmatched"] += 1
            continue
        # Applied before, or overtaken by a later event of the same user.
        user, sequence = event["entityId"], event["sequenceNumber"]
        if sequence <= last_sequence.get(user, 0):
            counts["stale"] += 1
            continue
        last_sequence[user] = sequence
        counts["applied"] += 1
        tenants.add(event["tenantSchema"])
        key = (event["payload"]["user_id"], event["payload"]["artist_id"])
        if event["eventType"] == "ARTIST_FOLLOWED":
            followers[key] = event["ts"]
        else:
            followers.pop(key, None)

(tenant,) = tenants
comparison = Comparison(database)
comparison.table(
    f"{tenant}__artist_followers",
    ["user_id", "artist_id", "followed_at"],
    [(*key, followed_at) for key, followed_at in followers.items()],
)
comparison.counts("artist_followers", counts, last_report(report_path))
comparison.finish()
