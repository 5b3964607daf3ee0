#!/usr/bin/env bash
# Print the first Python >= 3.11 that can make a virtual environment; 3.11 first, since most CPU builds of torch serve it.
set -u

without_venv=""
for name in ${TAHR_PYTHON:-} python3.11 python3.12 python3.13 python3.14 python3 python; do
    path=$(command -v "$name") || continue
    "$path" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue
    if "$path" -c 'import ensurepip, venv' 2>/dev/null; then
        # sys.executable looks through version managers' shims, which would otherwise depend on the current folder
        "$path" -c 'import sys; print(sys.executable)'
        exit 0
    fi
    without_venv=${without_venv:-$path}
done

if [ -n "$without_venv" ]; then
    version=$("$without_venv" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    echo "error: $without_venv (Python $version) cannot make virtual environments: its venv module is a package of its own" >&2
    echo "  instead: apt-get install python$version-venv   (on Debian and Ubuntu), then run the same command again" >&2
else
    echo "error: no Python 3.11 or newer was found on PATH (looked for python3.11 to python3.14, python3, python)" >&2
    echo "  instead: install one (apt-get install python3 python3-venv), or name it: TAHR_PYTHON=/path/to/python make venv" >&2
fi
exit 1
