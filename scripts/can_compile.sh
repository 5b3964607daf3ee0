#!/usr/bin/env bash
# Whether a C extension can be built for the Python that .venv is made with.
set -u
python=$("$(dirname "${BASH_SOURCE[0]}")/find_python.sh" 2>/dev/null) || exit 1
command -v cc >/dev/null || command -v gcc >/dev/null || exit 1
[ -f "$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h" ]
