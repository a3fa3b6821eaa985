#!/usr/bin/env bash
# Runs the example and compares its table and its counts with the oracle's.
source "$(dirname "${BASH_SOURCE[0]}")/../common/prelude.sh"

projectionist run "$example/projections.yaml" --from "$example/events.jsonl" \
  --into sqlite:views.db --once --format json >report.jsonl

oracle "$example/events.jsonl" views.db report.jsonl
