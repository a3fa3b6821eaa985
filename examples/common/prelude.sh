# Read by the run.sh of every example: finds the program and gives the run a folder of its own.
set -euo pipefail

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
example=$(cd "$(dirname "${BASH_SOURCE[1]}")" && pwd)

# Everything that an example writes goes here, so that a second run begins afresh.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# Runs the program that PROJECTIONIST names, or else the one of this checkout.
projectionist() {
  if [ -n "${PROJECTIONIST:-}" ]; then
    "$PROJECTIONIST" "$@"
  else
    cargo run --quiet --release --manifest-path "$checkout/Cargo.toml" -p projectionist-cli -- "$@"
  fi
}

# Runs an oracle: Python 3, its standard library only.
oracle() {
  PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$checkout/examples/common" python3 "$example/oracle.py" "$@"
}
