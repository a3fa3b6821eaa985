#!/usr/bin/env bash
# Lets the file of events grow as a live one would, runs the example each time on what is new, and
# compares every table with the oracle's. At the end every event is delivered a second time, which
# must change nothing.
source "$(dirname "${BASH_SOURCE[0]}")/../common/prelude.sh"

# Runs on what stands in the file now.
stage() {
  echo "$1:"
  projectionist run "$example/projections.yaml" --from events.jsonl --into sqlite:views.db --once
  oracle events.jsonl views.db
}

head -n 135 "$example/events.jsonl" >events.jsonl
stage "until the second star"

head -n 243 "$example/events.jsonl" | tail -n +136 >>events.jsonl
stage "until the pull request is closed"

tail -n +244 "$example/events.jsonl" >>events.jsonl
stage "all events"

cat "$example/events.jsonl" >>events.jsonl
stage "all events a second time"
