#!/usr/bin/env bash
# Runs the example on a repository, this project's own by default, and compares its tables with what
# git says.
repository=$(cd "${1:-$(dirname "${BASH_SOURCE[0]}")/../..}" && pwd)
source "$(dirname "${BASH_SOURCE[0]}")/../common/prelude.sh"

python3 "$example/git-log-to-events.py" "$repository" >events.jsonl
projectionist run "$example/projections.yaml" --from events.jsonl --into sqlite:views.db --once
oracle "$repository" views.db
