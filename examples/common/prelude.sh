# Read by the run.sh of every example: finds the program and gives the run a folder of its own.
set -euo pipefail

common=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
checkout=$(cd "$common/../.." && pwd)
example=$(cd "$(dirname "${BASH_SOURCE[1]}")" && pwd)

# The program that PROJECTIONIST names, or else the one of this checkout. It is built where the
# checkout's own settings of cargo hold.
if [ -n "${PROJECTIONIST:-}" ]; then
  program=$(realpath "$PROJECTIONIST")
else
  cd "$checkout"
  cargo build --quiet --release -p projectionist-cli
  program=$(cargo metadata --format-version 1 --no-deps |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')/release/projectionist
fi

# Everything that an example writes goes here, so that every run begins afresh.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

projectionist() {
  "$program" "$@"
}

# Runs an oracle: Python 3, its standard library only.
oracle() {
  PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$common" python3 "$example/oracle.py" "$@"
}
