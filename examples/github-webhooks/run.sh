#!/usr/bin/env bash
# Runs the example and compares its tables with the oracle's; then delivers every event a second
# time, which must change nothing.
source "$(dirname "${BASH_SOURCE[0]}")/../common/prelude.sh"

cp "$example/events.jsonl" events.jsonl
chmod u+w events.jsonl

echo "each event once:"
projectionist run "$example/projections.yaml" --from events.jsonl --into sqlite:views.db --once
oracle events.jsonl views.db

echo "each event twice:"
cat "$example/events.jsonl" >>events.jsonl
projectionist run "$example/projections.yaml" --from events.jsonl --into sqlite:views.db --once
oracle events.jsonl views.db
